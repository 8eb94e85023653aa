// Writes the byte after a block of 3 megabytes.
#include <stdlib.h>

int main(void) {
    size_t size = 3 << 20;
    char *p = malloc(size); // ALLOC
    p[0] = p[size / 2] = 1;
    p[size ] = 1; // EXPECT heap-buffer-overflow write 1 block 3145728 after 0
    free(p);
    return 0;
}
