// The index of an element is computed with the begin of its array.
// RUN: options --enable pointer-subtraction
#include <stddef.h>

static int prices[16], counts[16];

static ptrdiff_t index_of(const int *element) {
    return element - prices;
}

int main(void) {
    int *volatile element = &prices[2 + counts[0]];
    return index_of(element) == 3;
}
