// An array is doubled.
// RUN: options --enable absurd-size
#define _GNU_SOURCE
#include <stdlib.h>

static long *grow(long *array, int count) {
    return reallocarray(array, (size_t)count, sizeof *array);
}

int main(void) {
    volatile int count = 4;
    free(grow(NULL, (int)(2u * count)));
    return 0;
}
