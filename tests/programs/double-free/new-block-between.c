// A new block of the same size is allocated between the two frees: a plain allocator would give it
// away.
#include <stdlib.h>

int main(void) {
    char *first = malloc(56); // ALLOC
    free(first); // FREE
    char *second = malloc(56);
    second[0] = 1;
    free(first); // EXPECT double-free block 56 inside 0
    free(second);
    return 0;
}
