// A function that promises its compiler not to be called with a null pointer is.
#include <stdlib.h>

__attribute__((nonnull, noinline)) static int first(const int *values) {
    return values[0]; // EXPECT null-pointer-dereference read 4 address 0
}

__attribute__((noinline)) static int *row(int n, int *table) {
    return n < 3 ? table + n : NULL;
}

int main(void) {
    int table[3] = {1, 2, 3};
    return first(row(0, table)) + first(row(3, table));
}
