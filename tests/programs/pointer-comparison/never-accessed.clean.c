// The order of the elements of a local array that nobody reads or writes.
// RUN: options --enable pointer-comparison
#include <stdio.h>

int main(void) {
    int marks[2], other;
    int down = &marks[0] > &marks[1];
    printf("%d\n", down == 2);
    return 0;
}
