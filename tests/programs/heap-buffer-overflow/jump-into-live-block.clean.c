// Two live blocks, each written through its own pointer.
#include <stddef.h>
#include <stdlib.h>

int main(void) {
    char *a = malloc(32);
    char *b = malloc(32);
    b[5] = 'x';
    free(a);
    free(b);
    return 0;
}
