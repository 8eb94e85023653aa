// A word of a block is read that was never written, and what is done with it does not matter.
// RUN: options --enable uninitialized-read
#include <stdlib.h>

int main(void) {
    int *numbers = malloc(4 * sizeof *numbers); // ALLOC
    if (!numbers)
        return 1;
    numbers[0] = 1;
    int sum = numbers[0];
    sum += numbers[1] * 0; // EXPECT uninitialized-read read 4 block 16 inside 4
    free(numbers);
    return sum != 1;
}
