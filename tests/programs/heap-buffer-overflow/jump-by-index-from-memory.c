// A pointer that lies in memory leads to the begin of its block, and an index from there into
// another live block.
// ASan misses this: the address belongs to a live block
// Memcheck misses this: the address belongs to a live block
#include <stddef.h>
#include <stdlib.h>

static char *a, *b;

__attribute__((noinline)) static void put(ptrdiff_t at) {
    a[at] = 'x'; // EXPECT heap-buffer-overflow write 1 block 32
}

int main(void) {
    a = malloc(32); // ALLOC
    b = malloc(32);
    put(b - a + 5);
    free(a);
    free(b);
    return 0;
}
