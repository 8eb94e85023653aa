// A block is read that was freed a thousand allocations of the same size ago.
#include <stdlib.h>

int main(void) {
    long *old = calloc(6, sizeof *old); // ALLOC
    free(old); // FREE
    for (int i = 0; i < 1000; i++) {
        long *p = malloc(48);
        p[5] = i;
        free(p);
    }
    long v = old[5]; // EXPECT dangling-pointer-dereference read 8 block 48 inside 40
    return v == 99;
}
