// Reads byte 15 of a block of 3 times 5 bytes from calloc.
#include <stdlib.h>

int main(void) {
    char *p = calloc(3, 5); // ALLOC
    int v = p[15]; // EXPECT heap-buffer-overflow read 1 block 15 after 0
    free(p);
    return v == 99;
}
