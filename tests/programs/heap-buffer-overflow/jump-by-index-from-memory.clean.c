// The index leads to the last byte of the block.
#include <stddef.h>
#include <stdlib.h>

static char *a, *b;

__attribute__((noinline)) static void put(ptrdiff_t at) {
    a[at] = 'x';
}

int main(void) {
    a = malloc(32);
    b = malloc(32);
    put(31);
    free(a);
    free(b);
    return 0;
}
