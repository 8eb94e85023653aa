// Loads from a freed block and does not use the value: an optimiser deletes the load.
#include <stdlib.h>

static void peek(const long *p) {
    long unused = p[1]; // EXPECT dangling-pointer-dereference read 8 block 16 inside 8
    (void)unused;
}

int main(void) {
    long *p = calloc(2, sizeof *p); // ALLOC
    free(p); // FREE
    peek(p);
    return 0;
}
