// The cosine, an extended number, has the memory that it needs.
// RUN: ldflags -lm
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    long double sine;
    char *block = malloc(2 * sizeof(long double));
    sincosl(argc, &sine, (long double *)(block + 16));
    printf("%d\n", sine > 0);
    free(block);
    return 0;
}
