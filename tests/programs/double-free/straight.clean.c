// Frees two blocks once each.
#include <stdlib.h>

int main(void) {
    char *p = malloc(32);
    free(p);
    p = malloc(32);
    free(p);
    return 0;
}
