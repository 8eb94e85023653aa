// An index in a table that nobody reads or writes.
// RUN: options --enable pointer-subtraction
#include <stdio.h>

static int table[10], copy[10];

int main(void) {
    long index = &table[3] - &table[0];
    printf("%d\n", index == 77);
    return 0;
}
