// A function that promises its compiler not to be called with a null pointer is not.
#include <stdlib.h>

__attribute__((nonnull, noinline)) static int first(const int *values) {
    return values[0];
}

__attribute__((noinline)) static int *row(int n, int *table) {
    return n < 3 ? table + n : NULL;
}

int main(void) {
    int table[3] = {1, 2, 3};
    return first(row(0, table)) + first(row(2, table)) != 4;
}
