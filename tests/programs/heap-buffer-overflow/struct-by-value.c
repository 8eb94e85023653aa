// Passes a structure by value from a block that is too small for it.
// Memcheck misses this: by default it allows loads that are partly in a block
#include <stdlib.h>
#include <string.h>

struct big {
    int v[16];
};

static int last(struct big b) {
    return b.v[15];
}

int main(void) {
    struct big *b = malloc(sizeof *b - sizeof(int)); // ALLOC
    memset(b, 0, sizeof *b - sizeof(int));
    int v = last(*b); // EXPECT heap-buffer-overflow read 64 block 60 after 0
    free(b);
    return v == 1;
}
