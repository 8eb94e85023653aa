// The only pointer to a block points into its middle.
#include <stdlib.h>

static char *tail;

__attribute__((noinline)) static void make(void) {
    tail = (char *)malloc(200) + 150;
    *tail = 1;
}

int main(void) {
    make();
    return 0;
}
