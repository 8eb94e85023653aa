// A static variable that is written and never read holds the only pointer to a block.
#include <stdlib.h>

static void *keep;

__attribute__((noinline)) static void make(void) {
    keep = calloc(7, 7);
}

int main(void) {
    make();
    return 0;
}
