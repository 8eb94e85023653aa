// A 16-byte vector load that ends where the block ends, at an address that is not a multiple of 16.
#include <stdlib.h>
#include <string.h>

typedef int v4 __attribute__((vector_size(16), aligned(4)));

int main(void) {
    int *p = malloc(5 * sizeof *p);
    memset(p, 0, 12);
    v4 v = *(v4 *)(p + 1);
    free(p);
    return v[0];
}
