// A size in pages becomes one in bytes, and all of a page of the program's own is filled.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

static int clear(size_t pages) {
    char *scratch = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (scratch == MAP_FAILED) return 1;
    memset(scratch, 0, pages << 12);
    return scratch[100];
}

int main(int argc, char **argv) {
    (void)argv;
    return clear((size_t)argc);
}
