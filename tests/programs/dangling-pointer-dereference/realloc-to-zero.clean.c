// realloc with size 0 frees the block, which is not used again.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = malloc(14);
    memset(p, 1, 14);
    int v = p[13];
    char *q = realloc(p, 0);
    v += 1;
    free(q);
    return v == 99;
}
