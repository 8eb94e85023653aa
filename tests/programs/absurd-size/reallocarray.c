// An array is doubled until the number of elements is negative.
// RUN: options --enable absurd-size
#define _GNU_SOURCE
#include <stdlib.h>

static long *grow(long *array, int count) {
    return reallocarray(array, (size_t)count, sizeof *array); // EXPECT absurd-size in reallocarray
}

int main(void) {
    volatile int count = 1 << 30;
    free(grow(NULL, (int)(2u * count)));
    return 0;
}
