// A pointer into a block is made anew from its offset after realloc has moved the block.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = malloc(32);
    memset(p, 'a', 32);
    char *cursor = p + 7;
    char *q = realloc(p, 100000);
    cursor = q + (cursor - p);
    *cursor = 'b';
    int ok = q[7] == 'b';
    free(q);
    return !ok;
}
