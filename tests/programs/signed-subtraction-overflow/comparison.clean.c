// A comparison function of qsort compares.
// RUN: options --enable signed-subtraction-overflow
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(void) {
    int numbers[] = {2000000000, -2000000000, 5};
    qsort(numbers, 3, sizeof numbers[0], compare);
    return numbers[2] == 6;
}
