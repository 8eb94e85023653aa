// A block is read after a thousand blocks of the same size were allocated and freed.
#include <stdlib.h>

int main(void) {
    long *old = calloc(6, sizeof *old);

    for (int i = 0; i < 1000; i++) {
        long *p = malloc(48);
        p[5] = i;
        free(p);
    }
    long v = old[5];
    free(old);
    return v == 99;
}
