// An index that was once computed from another block's address, and is a number now, jumps from one live
// block into that other live block.
// ASan misses this: the address belongs to a live block
// Memcheck misses this: the address belongs to a live block
#include <stddef.h>
#include <stdlib.h>

int main(void) {
    char *a = malloc(32); // ALLOC
    char *b = malloc(32);
    volatile ptrdiff_t kept = b - a;
    ptrdiff_t distance = kept;
    a[distance + 5] = 'x'; // EXPECT heap-buffer-overflow write 1 block 32
    free(a);
    free(b);
    return 0;
}
