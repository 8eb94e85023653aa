// One arm of a branch frees the block, and the access after the branch is made in either case.
#include <stdlib.h>

__attribute__((noinline)) static int use(int *p, int drop) {
    *p = 1;
    if (drop) {
        free(p); // FREE
    }
    *p = 2; // EXPECT dangling-pointer-dereference write 4 block 4 inside 0
    int v = *p;
    free(p);
    return v;
}

int main(void) {
    int *p = malloc(sizeof *p); // ALLOC
    return use(malloc(sizeof *p), 0) + use(p, 1) != 4;
}
