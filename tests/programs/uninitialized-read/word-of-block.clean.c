// A block that calloc has zeroed is read.
// RUN: options --enable uninitialized-read
#include <stdlib.h>

int main(void) {
    int *numbers = calloc(4, sizeof *numbers);
    if (!numbers)
        return 1;
    numbers[0] = 1;
    int sum = numbers[0];
    sum += numbers[1] * 0;
    free(numbers);
    return sum != 1;
}
