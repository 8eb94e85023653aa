// A load whose value is never used, inside its block.
#include <stdlib.h>

int main(void) {
    int *p = calloc(4, sizeof *p);
    int unused = p[3];
    (void)unused;
    free(p);
    return 0;
}
