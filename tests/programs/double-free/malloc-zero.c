// Frees a block of no bytes twice.
#include <stdlib.h>

int main(void) {
    char *p = malloc(0); // ALLOC
    free(p); // FREE
    free(p); // EXPECT double-free block 0 inside 0
    return 0;
}
