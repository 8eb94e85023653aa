// Whether a position is in an array is tested with the end of another one, by a pointer that has left its own.
// RUN: options --enable pointer-comparison
#include <stdlib.h>

static int passed(const int *begin, size_t distance, const int *end) {
    const int *at = begin + distance;
    return at > end; // EXPECT pointer-comparison block 32 after 4
}

int main(void) {
    int *first = calloc(8, sizeof *first); // ALLOC
    int *second = calloc(8, sizeof *second);
    if (!first || !second) return 2;
    int found = passed(first, 9, second + 8);
    free(first);
    free(second);
    return found == 77;
}
