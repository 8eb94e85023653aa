// realloc with size 0 frees the block, which is then read.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = malloc(14); // ALLOC
    memset(p, 1, 14);
    int v = p[13];
    char *q = realloc(p, 0); // FREE
    v += p[13]; // EXPECT dangling-pointer-dereference read 1 block 14 inside 13
    free(q);
    return v == 99;
}
