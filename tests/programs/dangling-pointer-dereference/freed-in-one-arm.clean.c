// One arm of a branch frees the block and takes another.
#include <stdlib.h>

__attribute__((noinline)) static int use(int *p, int drop) {
    *p = 1;
    if (drop) {
        free(p);
        p = malloc(sizeof *p);
    }
    *p = 2;
    int v = *p;
    free(p);
    return v;
}

int main(void) {
    int *p = malloc(sizeof *p);
    return use(malloc(sizeof *p), 0) + use(p, 1) != 4;
}
