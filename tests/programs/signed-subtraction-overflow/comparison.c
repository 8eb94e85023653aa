// A comparison function of qsort subtracts: large numbers of different signs do not fit.
// RUN: options --enable signed-subtraction-overflow
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return x - y; // EXPECT signed-subtraction-overflow
}

int main(void) {
    int numbers[] = {2000000000, -2000000000, 5};
    qsort(numbers, 3, sizeof numbers[0], compare);
    return numbers[2] == 6;
}
