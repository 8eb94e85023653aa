// Reads the middle of a block of 3 megabytes after free.
#include <stdlib.h>

int main(void) {
    char *p = calloc(3, 1 << 20); // ALLOC
    free(p); // FREE
    int v = p[1572864]; // EXPECT dangling-pointer-dereference read 1 block 3145728 inside 1572864
    return v == 99;
}
