// Reads a long double of a block after free.
#include <stdlib.h>

int main(void) {
    long double *p = malloc(3 * sizeof *p); // ALLOC
    p[1] = 2;
    free(p); // FREE
    long double v = p[1]; // EXPECT dangling-pointer-dereference read 10 block 48 inside 16
    return v == 99;
}
