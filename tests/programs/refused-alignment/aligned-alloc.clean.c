// aligned_alloc with the alignment of a structure.
// RUN: options --enable refused-alignment
#include <stdlib.h>

struct point {
    double x, y, z;
};

int main(void) {
    struct point *p = aligned_alloc(_Alignof(struct point), 4 * sizeof *p);
    free(p);
    return 0;
}
