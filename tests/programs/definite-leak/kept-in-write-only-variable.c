// A static variable that is written and never read held the only pointer to a block, until it was
// overwritten.
#include <stdlib.h>

static void *keep;

__attribute__((noinline)) static void make(void) {
    keep = calloc(7, 7); // EXPECT definite-leak block 49 count 1 bytes 49
}

int main(void) {
    make();
    keep = NULL;
    return 0;
}
