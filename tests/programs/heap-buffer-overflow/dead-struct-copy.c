// A structure is copied from a block that is too small to a variable that is never used: an
// optimiser deletes both.
// Memcheck misses this: by default it allows loads that are partly in a block
#include <stdlib.h>

struct record {
    long key;
    char name[20];
};

int main(void) {
    struct record *r = calloc(1, 28); // ALLOC
    struct record unused = *r; // EXPECT heap-buffer-overflow read 32 block 28 after 0
    (void)unused;
    free(r);
    return 0;
}
