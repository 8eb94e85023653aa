// The last element of a block is compared.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void fill(int *numbers, int count) {
    for (int i = 0; i < count; i++)
        numbers[i] = i;
}

int main(int argc, char **argv) {
    (void)argv;
    int count = 9 + argc;
    int *numbers = malloc((size_t)count * sizeof *numbers);
    if (!numbers)
        return 1;
    fill(numbers, count);
    if (numbers[count - 1] > 5)
        puts("large");
    free(numbers);
    return 0;
}
