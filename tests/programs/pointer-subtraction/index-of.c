// The index of an element is computed with the begin of another array.
// RUN: options --enable pointer-subtraction
#include <stddef.h>

static int prices[16], counts[16];

static ptrdiff_t index_of(const int *element) {
    return element - prices; // EXPECT pointer-subtraction
}

int main(void) {
    int *volatile element = &counts[3];
    return index_of(element) == 3;
}
