// Reads a long double of a block before free.
#include <stdlib.h>

int main(void) {
    long double *p = malloc(3 * sizeof *p);
    p[1] = 2;

    long double v = p[1];
    free(p);
    return v == 99;
}
