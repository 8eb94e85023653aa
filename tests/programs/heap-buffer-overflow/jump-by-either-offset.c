// A pointer is advanced by one of two offsets, and one of them leads into another live block.
// ASan misses this: the address belongs to a live block
// Memcheck misses this: the address belongs to a live block
#include <stdlib.h>

int main(int argc, char **argv) {
    int *a = calloc(8, sizeof *a); // ALLOC
    int *b = calloc(8, sizeof *b);
    volatile long kept = b - a;
    long distance = kept;
    int *p;
    if (argc > 1)
        p = a + 1;
    else
        p = a + distance;
    *p = 1; // EXPECT heap-buffer-overflow write 4 block 32
    free(a);
    free(b);
    return 0;
}
