// The pointer of a loop is advanced by a number, the distance to another block, and lands in it: each step
// is derived from the one before.
// ASan misses this: the address belongs to a live block
// Memcheck misses this: the address belongs to a live block
#include <stdlib.h>

__attribute__((noinline)) static void mark(char *p, long stride, int n) {
    for (int i = 0; i < n; i++, p += stride)
        *p = 'm';
}

int main(void) {
    char *a = calloc(1, 48); // ALLOC
    char *b = calloc(1, 48);
    volatile long kept = b - a;
    long stride = kept;
    mark(b, 1, 48);
    char *p = a;
    for (int i = 0; i < 2; i++, p += stride)
        *p = 'x'; // EXPECT heap-buffer-overflow write 1 block 48
    free(a);
    free(b);
    return 0;
}
