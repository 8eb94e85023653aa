// Half of the distance between two pointers into a block is an index in it.
#include <stdlib.h>

__attribute__((noinline)) static void mark(char *low, char *high) {
    low[(high - low) / 2] = 'm';
}

int main(void) {
    char *blocks[3];
    for (int i = 0; i < 3; i++)
        blocks[i] = calloc(1, 48);
    mark(blocks[0], blocks[0] + 47);
    for (int i = 0; i < 3; i++)
        free(blocks[i]);
    return 0;
}
