// The product of the arguments of calloc does not fit.
// RUN: options --enable absurd-size
#include <stdint.h>
#include <stdlib.h>

static void *table(uint64_t rows, uint64_t size) {
    return calloc(rows, size); // EXPECT absurd-size in calloc
}

int main(void) {
    free(table(UINT64_MAX / 4, 16));
    return 0;
}
