// Reads the middle of a block of 3 megabytes.
#include <stdlib.h>

int main(void) {
    char *p = calloc(3, 1 << 20);

    int v = p[1572864];
    free(p);
    return v == 99;
}
