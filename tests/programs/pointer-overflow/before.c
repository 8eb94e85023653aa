// A row before the first is computed, far before the begin of memory.
// RUN: options --enable pointer-overflow
#include <stdint.h>
#include <stdlib.h>

static double *row(double *first, int64_t number, int64_t width) {
    int64_t at = number * width;
    return first + at; // EXPECT pointer-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    double *rows = malloc(4 * sizeof *rows);
    double *found = row(rows, 0 - (int64_t)argc, INT64_C(1) << 58);
    free(rows);
    return found == NULL;
}
