// Writes the last byte of a block of 100 megabytes after free.
#include <stdlib.h>

int main(void) {
    size_t size = 100000000;
    for (int i = 0; i < 2; i++) {
        char *p = malloc(size); // ALLOC
        if (i)
            free(p); // FREE
        p[size - 1] = 1; // EXPECT dangling-pointer-dereference write 1 block 100000000 inside 99999999
        if (!i)
            free(p);
    }
    return 0;
}
