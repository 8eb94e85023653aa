// A record behind the end of its table is numbered with the begin of another table.
// RUN: options --enable pointer-subtraction
#include <stdlib.h>

static long number(const double *table, size_t count, const double *begin) {
    const double *record = table + count + 1;
    return record - begin; // EXPECT pointer-subtraction block 64 after 8
}

int main(void) {
    double *table = calloc(8, sizeof *table); // ALLOC
    double *copy = calloc(8, sizeof *copy);
    if (!table || !copy) return 2;
    long found = number(table, 8, copy);
    free(table);
    free(copy);
    return found == 77;
}
