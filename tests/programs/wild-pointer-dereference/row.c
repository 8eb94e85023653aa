// A table is indexed with a row that is a million too large, and the element is written elsewhere.
#include <stdlib.h>

static double *cells;

__attribute__((noinline)) static double *cell(long row, long column) {
    return cells + row * 1000 + column;
}

__attribute__((noinline)) static void set(double *at) {
    *at = 1.5; // EXPECT wild-pointer-dereference write 8 block none
}

int main(void) {
    cells = calloc(5000, sizeof *cells);
    volatile long row = 1000003, column = 4;
    set(cell(row, column));
    free(cells);
    return 0;
}
