// Frees the end of a block.
#include <stdlib.h>

int main(void) {
    int *p = malloc(6 * sizeof *p); // ALLOC
    int *end = p + 6;
    free(end); // EXPECT free-inside-block block 24 after 0
    return 0;
}
