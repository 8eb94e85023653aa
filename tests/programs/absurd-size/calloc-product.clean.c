// The product of the arguments of calloc fits.
// RUN: options --enable absurd-size
#include <stdint.h>
#include <stdlib.h>

static void *table(uint64_t rows, uint64_t size) {
    return calloc(rows, size);
}

int main(void) {
    free(table(4, 16));
    return 0;
}
