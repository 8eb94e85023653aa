// What realloc with size 0 returned is freed, which is a null pointer or a block of no bytes.
#include <stdlib.h>

int main(void) {
    char *p = malloc(12);
    char *q = realloc(p, 0);
        free(q);
    return 0;
}
