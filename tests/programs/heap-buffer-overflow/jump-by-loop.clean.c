// A loop steps through the bytes of its block.
#include <stdlib.h>

enum { BLOCKS = 64, SIZE = 48 };

int main(void) {
    char *block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        block[i] = calloc(1, SIZE);
    long stride = SIZE / 3;
    char *p = block[30];
    for (int i = 0; i < 3; i++)
        p[i * stride] = 1;
    for (int i = 0; i < BLOCKS; i++)
        free(block[i]);
    return 0;
}
