// Two different overflows at two lines of one function are two findings.
// ASan misses this: it stops at the first of the two
// RUN: options --keep-going
#include <stdlib.h>

int main(void) {
    char *p = malloc(5); // ALLOC
    p[5] = 1; // EXPECT heap-buffer-overflow write 1 block 5 after 0
    p[7] = 2; // EXPECT heap-buffer-overflow write 1 block 5 after 2
    free(p);
    return 0;
}
