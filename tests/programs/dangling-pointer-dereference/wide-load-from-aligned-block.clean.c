// An unaligned 8-byte load that ends with a page-aligned block.
#include <stdlib.h>
#include <string.h>

typedef long unaligned_long __attribute__((aligned(1)));

int main(void) {
    char *p = aligned_alloc(4096, 8192);
    memset(p, 0, 8192);

    long v = *(unaligned_long *)(p + 8184);
    free(p);
    return v == 99;
}
