// An unaligned 4-byte store covers the last four bytes of a block of 17 bytes.
#include <stdlib.h>

typedef int unaligned_int __attribute__((aligned(1)));

int main(void) {
    char *p = malloc(17);
    *(unaligned_int *)(p + 13) = 7;
    free(p);
    return 0;
}
