// A loop with a long stride stays in its block.
#include <stdlib.h>

enum { BLOCKS = 64, SIZE = 48 };

int main(void) {
    char *block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        block[i] = calloc(1, SIZE);
    char *middle = block[BLOCKS / 2];
    for (long at = 0; at < SIZE; at += 64)
        middle[at] = 1;
    for (int i = 0; i < BLOCKS; i++)
        free(block[i]);
    return 0;
}
