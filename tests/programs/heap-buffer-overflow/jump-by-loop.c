// A loop whose stride is the distance between two blocks steps from its block into the neighbours,
// past every red zone.
// ASan misses this: every address belongs to a live block
// Memcheck misses this: every address belongs to a live block
#include <stdlib.h>

enum { BLOCKS = 64, SIZE = 48 };

int main(void) {
    char *block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        block[i] = calloc(1, SIZE); // ALLOC
    long stride = block[31] - block[30];
    char *p = block[30];
    for (int i = 0; i < 3; i++)
        p[i * stride] = 1; // EXPECT heap-buffer-overflow write 1 block 48
    for (int i = 0; i < BLOCKS; i++)
        free(block[i]);
    return 0;
}
