// Frees the begin of a block, eight bytes before the part that was handed out.
#include <stdlib.h>

struct header {
    long size;
};

static void *allocate(long size) {
    struct header *h = malloc(sizeof *h + size);
    h->size = size;
    return h + 1;
}

static void release(void *p) {
    free((struct header *)p - 1);
}

int main(void) {
    release(allocate(40));
    return 0;
}
