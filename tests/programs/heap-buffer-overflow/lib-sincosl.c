// The cosine, an extended number, is stored to the last eight bytes of a block.
// RUN: ldflags -lm
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    long double sine;
    char *block = malloc(3 * sizeof(double)); // ALLOC
    sincosl(argc, &sine, (long double *)(block + 16)); // EXPECT heap-buffer-overflow write 10 block 24 after 0
    printf("%d\n", sine > 0);
    free(block);
    return 0;
}
