// Frees the begin of a block, computed from one byte after it.
#include <stdlib.h>

int main(void) {
    char *p = malloc(10);
    p++;
    free(p - 1);
    return 0;
}
