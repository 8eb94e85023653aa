// An array that is counted from 1 is filled in a loop. Its base lies before the block.
#include <stdlib.h>

enum { COUNT = 64 };

int main(int argc, char **argv) {
    int *array = calloc(COUNT, sizeof *array);
    int *volatile kept = array - 1;
    int *base = kept;
    for (int i = 1; i <= COUNT; i += argc)
        base[i] = i;
    free(array);
    return 0;
}
