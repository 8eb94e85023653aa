// A loop with a long stride steps over the red zone into the neighbours of its block; the block it
// leaves is its own.
// Memcheck misses this: every address that is hit belongs to a live block
#include <stdlib.h>

enum { BLOCKS = 64, SIZE = 48 };

int main(void) {
    char *block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        block[i] = calloc(1, SIZE); // ALLOC
    char *middle = block[BLOCKS / 2];
    for (long at = 0; at < 1L << 16; at += 64)
        middle[at] = 1; // EXPECT heap-buffer-overflow write 1 block 48 after 16
    for (int i = 0; i < BLOCKS; i++)
        free(block[i]);
    return 0;
}
