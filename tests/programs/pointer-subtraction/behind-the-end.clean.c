// A record is numbered with the begin of its own table.
// RUN: options --enable pointer-subtraction
#include <stdlib.h>

static long number(const double *table, size_t count, const double *begin) {
    const double *record = table + count - 1;
    return record - begin;
}

int main(void) {
    double *table = calloc(8, sizeof *table);
    double *copy = calloc(8, sizeof *copy);
    if (!table || !copy) return 2;
    long found = number(copy, 8, copy);
    free(table);
    free(copy);
    return found == 77;
}
