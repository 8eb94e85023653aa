// An array that is counted from 1 is filled in a loop that goes one too far. Its base lies before the block.
#include <stdlib.h>

enum { COUNT = 64 };

int main(int argc, char **argv) {
    int *array = calloc(COUNT, sizeof *array); // ALLOC
    int *volatile kept = array - 1;
    int *base = kept;
    for (int i = 1; i <= COUNT + 1; i += argc)
        base[i] = i; // EXPECT heap-buffer-overflow write 4 block 256
    free(array);
    return 0;
}
