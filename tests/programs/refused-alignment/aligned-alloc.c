// aligned_alloc with the size of a structure as alignment.
// RUN: options --enable refused-alignment
#include <stdlib.h>

struct point {
    double x, y, z;
};

int main(void) {
    struct point *p = aligned_alloc(sizeof *p, 4 * sizeof *p); // EXPECT refused-alignment in aligned_alloc
    free(p);
    return 0;
}
