// Loads from a block and does not use the value.
#include <stdlib.h>

static void peek(const long *p) {
    long unused = p[1];
    (void)unused;
}

int main(void) {
    long *p = calloc(2, sizeof *p);
    peek(p);
    free(p);
    return 0;
}
