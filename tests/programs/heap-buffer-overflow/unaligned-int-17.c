// An unaligned 4-byte store begins inside a block of 17 bytes and ends one byte after it.
#include <stdlib.h>

typedef int unaligned_int __attribute__((aligned(1)));

int main(void) {
    char *p = malloc(17); // ALLOC
    *(unaligned_int *)(p + 14) = 7; // EXPECT heap-buffer-overflow write 4 block 17 after 0
    free(p);
    return 0;
}
