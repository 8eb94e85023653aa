// Stores to a block that is never read, then frees it.
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);

    *p = 1;
    free(p);
    return 0;
}
