// Reads the first and the last word of a block of 100 megabytes.
#include <stdlib.h>

int main(void) {
    size_t count = 100000000 / sizeof(long);
    long *p = calloc(count, sizeof *p);
    long v = p[count - 1] + p[0];
    free(p);
    return v == 1;
}
