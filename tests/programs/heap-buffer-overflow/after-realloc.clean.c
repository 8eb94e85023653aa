// A block is made smaller with realloc and used with its new size.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = malloc(100);
    memset(p, 'a', 100);
    p = realloc(p, 40);
    p[39] = 0;
    free(p);
    return 0;
}
