// The order of two local variables that nobody reads or writes is taken for the direction of the stack.
// RUN: options --enable pointer-comparison
#include <stdio.h>

int main(void) {
    int marks[2], other;
    int down = &marks[0] > &other; // EXPECT pointer-comparison
    printf("%d\n", down == 2);
    return 0;
}
