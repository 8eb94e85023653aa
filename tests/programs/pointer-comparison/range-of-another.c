// Whether a pointer lies in an array is tested with the end of another one.
// RUN: options --enable pointer-comparison
#include <stdlib.h>

static size_t count(const int *from, const int *to) {
    size_t found = 0;
    while (from < to && found < 2) { // EXPECT pointer-comparison
        from++;
        found++;
    }
    return found;
}

int main(void) {
    int *first = calloc(8, sizeof *first);
    int *second = calloc(8, sizeof *second);
    if (!first || !second) return 2;
    size_t found = count(first, second + 8);
    free(first);
    free(second);
    return found == 77;
}
