// Reads a word of a block before free.
#include <stdlib.h>

int main(void) {
    int *p = calloc(5, sizeof *p);

    int v = p[2];
    free(p);
    return v == 99;
}
