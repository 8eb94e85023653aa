// Reads the first byte of a block of no bytes.
// ASan misses this: it allocates one byte when none is asked for
#include <stdlib.h>

int main(void) {
    char *p = malloc(0); // ALLOC
    int v = *p; // EXPECT heap-buffer-overflow read 1 block 0 after 0
    free(p);
    return v == 99;
}
