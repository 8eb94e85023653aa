// A block is freed and then given to realloc.
#include <stdlib.h>

int main(void) {
    char *p = malloc(40); // ALLOC
    free(p); // FREE
    p = realloc(p, 80); // EXPECT double-free block 40 inside 0
    free(p);
    return 0;
}
