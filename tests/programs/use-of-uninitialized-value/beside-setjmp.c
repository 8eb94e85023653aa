// A function that calls setjmp uses what was never set: in memory, in a variable, and from a function.
// RUN: options --enable use-of-uninitialized-value --keep-going
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf start;

__attribute__((noinline)) static int second(const int *numbers) { return numbers[1]; }

__attribute__((noinline)) static int work(const int *numbers, int given) {
    volatile int tries = 0;
    int chosen; // BORN
    int first = numbers[0];
    if (given)
        chosen = given;
    if (setjmp(start)) {
        if (first == 1)
            puts("one");
        if (chosen == 4) // EXPECT use-of-uninitialized-value use branch
            puts("chosen");
        if (numbers[2]) // EXPECT use-of-uninitialized-value use branch
            puts("two");
        if (second(numbers) == 3) // EXPECT use-of-uninitialized-value use branch
            puts("three");
        return tries;
    }
    tries = 1;
    longjmp(start, 1);
}

int main(int argc, char **argv) {
    (void)argv;
    int *numbers = malloc(4 * sizeof *numbers); // BORN
    if (!numbers)
        return 1;
    numbers[0] = 1;
    int tries = work(numbers, argc - 1);
    free(numbers);
    return tries != 1;
}
