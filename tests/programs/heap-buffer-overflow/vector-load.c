// A 16-byte vector load from a block of 12 bytes.
// Memcheck misses this: by default it allows loads that are partly in a block
#include <stdlib.h>
#include <string.h>

typedef int v4 __attribute__((vector_size(16), aligned(4)));

int main(void) {
    int *p = malloc(3 * sizeof *p); // ALLOC
    memset(p, 0, 12);
    v4 v = *(v4 *)(p + 0); // EXPECT heap-buffer-overflow read 16 block 12 after 0
    free(p);
    return v[0];
}
