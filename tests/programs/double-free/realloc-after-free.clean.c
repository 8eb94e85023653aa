// A null pointer is given to realloc after a block was freed.
#include <stdlib.h>

int main(void) {
    char *p = malloc(40);
    free(p);
    p = NULL;
    p = realloc(p, 80);
    free(p);
    return 0;
}
