/* One kind of input loses a block. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int kind = getchar();
    char *block = malloc(8);
    if (!block) return 1;
    block[0] = 0;
    if (kind != '#' || FREES) free(block);
    block = NULL;
    return 0;
}
