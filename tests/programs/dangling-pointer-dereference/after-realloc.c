// A pointer into a block is used after realloc has moved the block.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = malloc(32); // ALLOC
    memset(p, 'a', 32);
    char *cursor = p + 7;
    char *q = realloc(p, 100000); // FREE
    *cursor = 'b'; // EXPECT dangling-pointer-dereference write 1 block 32 inside 7
    int ok = q[7] == 'b';
    free(q);
    return !ok;
}
