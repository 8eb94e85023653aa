// Frees a block of 100 megabytes twice.
#include <stdlib.h>

int main(void) {
    char *p = malloc(100000000); // ALLOC
    p[0] = 1;
    free(p); // FREE
    free(p); // EXPECT double-free block 100000000 inside 0
    return 0;
}
