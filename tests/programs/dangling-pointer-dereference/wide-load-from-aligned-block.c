// An unaligned 8-byte load from the inside of a page-aligned block after free.
#include <stdlib.h>
#include <string.h>

typedef long unaligned_long __attribute__((aligned(1)));

int main(void) {
    char *p = aligned_alloc(4096, 8192); // ALLOC
    memset(p, 0, 8192);
    free(p); // FREE
    long v = *(unaligned_long *)(p + 4093); // EXPECT dangling-pointer-dereference read 8 block 8192 inside 4093
    return v == 99;
}
