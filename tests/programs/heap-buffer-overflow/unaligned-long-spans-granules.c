// An unaligned 8-byte load spans two granules: the first is whole, the second has 2 bytes of which
// it takes 3.
#include <stdlib.h>
#include <string.h>

typedef long unaligned_long __attribute__((aligned(1)));

static long load(const char *p) {
    return *(const unaligned_long *)p; // EXPECT heap-buffer-overflow read 8 block 10 after 0
}

int main(void) {
    char *p = malloc(10); // ALLOC
    memset(p, 0, 10);
    long v = load(p + 3);
    free(p);
    return v == 1;
}
