// A function that calls setjmp uses only what was set, and writes a variable between the returns.
// RUN: options --enable use-of-uninitialized-value --keep-going
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf start;

__attribute__((noinline)) static int second(const int *numbers) { return numbers[1]; }

__attribute__((noinline)) static int work(const int *numbers, int given) {
    volatile int tries = 0;
    int chosen;
    (void)given;
    int first = numbers[0];
    if (setjmp(start)) {
        if (first == 1)
            puts("one");
        if (chosen == 4)
            puts("chosen");
        if (numbers[2])
            puts("two");
        if (second(numbers) == 3)
            puts("three");
        return tries;
    }
    tries = 1;
    chosen = 3;
    longjmp(start, 1);
}

int main(int argc, char **argv) {
    (void)argv;
    int *numbers = malloc(4 * sizeof *numbers);
    if (!numbers)
        return 1;
    numbers[0] = numbers[1] = numbers[2] = 1;
    int tries = work(numbers, argc);
    free(numbers);
    return tries != 1;
}
