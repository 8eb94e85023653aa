// A function returns what another one returns in its place, by a tail call, which is set.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>

typedef int reader(const int *numbers, int index);

__attribute__((noinline)) static int last(const int *numbers, int index) { return numbers[index]; }

__attribute__((noinline)) static int middle(const int *numbers, int index) {
    __asm__ volatile("nop");
    __attribute__((musttail)) return last(numbers, index);
}

static reader *const readers[] = {middle, last};

__attribute__((noinline)) static int first(const int *numbers, int index) {
    __asm__ volatile("nop");
    __attribute__((musttail)) return readers[index / 2](numbers, index);
}

int main(void) {
    int *numbers = malloc(2 * sizeof *numbers);
    if (!numbers)
        return 1;
    numbers[0] = 1;
    if (first(numbers, 0) == 3)
        puts("three");
    free(numbers);
    return 0;
}
