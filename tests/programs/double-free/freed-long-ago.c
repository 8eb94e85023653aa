// The second free comes after a thousand blocks of the same size were allocated and freed.
#include <stdlib.h>

int main(void) {
    char *old = malloc(100); // ALLOC
    free(old); // FREE
    for (int i = 0; i < 1000; i++)
        free(malloc(100));
    free(old); // EXPECT double-free block 100 inside 0
    return 0;
}
