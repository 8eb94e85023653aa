// Frees a block twice; the block does not escape, so an optimiser deletes allocation and both
// frees.
#include <stdlib.h>

int main(void) {
    char *p = malloc(32); // ALLOC
    free(p); // FREE
    free(p); // EXPECT double-free block 32 inside 0
    return 0;
}
