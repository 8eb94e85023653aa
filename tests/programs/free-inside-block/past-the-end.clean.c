// Computes the end of a block, and frees its begin.
#include <stdlib.h>

int main(void) {
    int *p = malloc(6 * sizeof *p);
    int *end = p + 6;
    free(end - 6);
    return 0;
}
