// realloc with size 0 frees a block, and the program frees it again.
#include <stdlib.h>

int main(void) {
    char *p = malloc(12); // ALLOC
    char *q = realloc(p, 0); // FREE
    if (!q)
        free(p); // EXPECT double-free block 12 inside 0
    return 0;
}
