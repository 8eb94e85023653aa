// A 32-byte vector store to the last 32 bytes of a block.
#include <stdlib.h>

typedef double v4d __attribute__((vector_size(32), aligned(8)));

static void store(double *at, double x) {
    v4d v = {x, x, x, x};
    *(v4d *)at = v;
}

int main(void) {
    double *p = malloc(8 * sizeof *p);
    store(p, 1);
    store(p + 4, 2);
    free(p);
    return 0;
}
