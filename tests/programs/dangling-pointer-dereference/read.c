// Reads a word of a block after free.
#include <stdlib.h>

int main(void) {
    int *p = calloc(5, sizeof *p); // ALLOC
    free(p); // FREE
    int v = p[2]; // EXPECT dangling-pointer-dereference read 4 block 20 inside 8
    return v == 99;
}
