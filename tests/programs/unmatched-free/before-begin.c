// Frees an address eight bytes before a block, where a header was supposed to be.
#include <stdlib.h>

struct header {
    long size;
};

static void *allocate(long size) {
    struct header *h = malloc(sizeof *h + size); // ALLOC
    h->size = size;
    return h;
}

static void release(void *p) {
    free((struct header *)p - 1); // EXPECT unmatched-free block 48 before 8
}

int main(void) {
    release(allocate(40));
    return 0;
}
