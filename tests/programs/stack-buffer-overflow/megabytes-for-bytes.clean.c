// A size in kilobytes becomes one in bytes.
#include <stdlib.h>
#include <string.h>

static int clear(size_t kilobytes) {
    char scratch[1024];
    memset(scratch, 0, kilobytes << 10);
    return scratch[100];
}

int main(int argc, char **argv) {
    (void)argv;
    return clear((size_t)argc);
}
