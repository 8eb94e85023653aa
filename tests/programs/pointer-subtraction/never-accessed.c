// An index is computed in the wrong table; nobody reads or writes the tables.
// RUN: options --enable pointer-subtraction
#include <stdio.h>

static int table[10], copy[10];

int main(void) {
    long index = &table[3] - &copy[0]; // EXPECT pointer-subtraction
    printf("%d\n", index == 77);
    return 0;
}
