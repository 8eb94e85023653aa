// A store to a block that is never read and does not escape.
#include <stdlib.h>

int main(void) {
    int *p = malloc(4 * sizeof *p);
    p[3] = 1;
    free(p);
    return 0;
}
