// The only pointer to a block points into it, and is set to null.
#include <stdlib.h>

static char *tail;

__attribute__((noinline)) static void make(void) {
    tail = (char *)malloc(200) + 150; // EXPECT definite-leak block 200 count 1 bytes 200
    *tail = 1;
}

int main(void) {
    make();
    tail = NULL;
    return 0;
}
