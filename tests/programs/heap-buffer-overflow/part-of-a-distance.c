// Half of the distance between two blocks is an index, and it leads into a third one, which is live, too.
// ASan misses this: the address belongs to a live block
// Memcheck misses this: the address belongs to a live block
#include <stdlib.h>

__attribute__((noinline)) static void mark(char *low, char *high) {
    low[(high - low) / 2] = 'm'; // EXPECT heap-buffer-overflow write 1 block 48
}

int main(void) {
    char *blocks[3];
    for (int i = 0; i < 3; i++)
        blocks[i] = calloc(1, 48); // ALLOC
    mark(blocks[0], blocks[2]);
    for (int i = 0; i < 3; i++)
        free(blocks[i]);
    return 0;
}
