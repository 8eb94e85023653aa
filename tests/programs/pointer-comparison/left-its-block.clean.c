// A position is compared with the end of the array as a number of elements.
// RUN: options --enable pointer-comparison
#include <stdlib.h>

static int passed(const int *begin, size_t distance, const int *end) {
    size_t size = (size_t)(end - begin);
    return distance > size;
}

int main(void) {
    int *first = calloc(8, sizeof *first);
    int *second = calloc(8, sizeof *second);
    if (!first || !second) return 2;
    int found = passed(first, 9, first + 8);
    free(first);
    free(second);
    return found == 77;
}
