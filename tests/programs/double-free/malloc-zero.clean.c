// Frees two blocks of no bytes once each, and the null pointer twice.
#include <stdlib.h>

int main(void) {
    char *p = malloc(0);
    free(p);
    p = malloc(0);
    free(p);
    free(NULL);
    free(NULL);
    return 0;
}
