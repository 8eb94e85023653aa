// A size in megabytes is multiplied twice: a page of the program's own is filled far beyond its end.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

static int clear(size_t megabytes) {
    char *scratch = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (scratch == MAP_FAILED) return 1;
    memset(scratch, 0, megabytes << 20 << 20); // EXPECT absurd-length block none in memset
    return scratch[100];
}

int main(int argc, char **argv) {
    (void)argv;
    return clear((size_t)argc);
}
