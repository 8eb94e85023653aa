// An aligned 8-byte load takes in the unused half of the last granule of a block of 12 bytes.
// Memcheck misses this: by default it allows loads that are partly in a block
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = malloc(12); // ALLOC
    memset(p, 0, 12);
    long first = *(long *)p;
    long last = *(long *)(p + 8); // EXPECT heap-buffer-overflow read 8 block 12 after 0
    free(p);
    return first + last != 0 && first == 1;
}
