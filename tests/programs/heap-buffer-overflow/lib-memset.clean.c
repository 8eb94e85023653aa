// memset is given the size of the block.
#include <stdlib.h>
#include <string.h>

static void clear(short *a, int n) {
    memset(a, 0, n * sizeof *a);
}

int main(void) {
    short *a = malloc(30 * sizeof *a);
    clear(a, 30);
    free(a);
    return 0;
}
