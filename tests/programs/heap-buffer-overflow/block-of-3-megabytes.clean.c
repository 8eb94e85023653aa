// Writes the last byte of a block of 3 megabytes.
#include <stdlib.h>

int main(void) {
    size_t size = 3 << 20;
    char *p = malloc(size);
    p[0] = p[size / 2] = 1;
    p[size - 1] = 1;
    free(p);
    return 0;
}
