// realloc moves a block, and the old pointer is freed as well as the new one.
#include <stdlib.h>

int main(void) {
    char *old = malloc(64); // ALLOC
    char *new = realloc(old, 1 << 20); // FREE
    if (new)
        new[0] = 1;
    free(old); // EXPECT double-free block 64 inside 0
    free(new);
    return 0;
}
