// Variable arguments are values in registers and on the stack, of which only those that are set are read.
// RUN: options --enable use-of-uninitialized-value --keep-going
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static long sum(int count, ...) {
    va_list numbers;
    long result = 0;
    va_start(numbers, count);
    for (int i = 0; i < count; i++)
        result += va_arg(numbers, int);
    va_end(numbers);
    return result;
}

__attribute__((noinline)) static double product(int count, ...) {
    va_list numbers;
    double result = 1;
    va_start(numbers, count);
    for (int i = 0; i < count; i++)
        result *= va_arg(numbers, double);
    va_end(numbers);
    return result;
}

int main(void) {
    int *number = malloc(2 * sizeof *number);
    double *factor = malloc(2 * sizeof *factor);
    if (!number || !factor)
        return 1;
    number[0] = 1;
    factor[0] = 2;
    if (sum(1, number[0], number[1]) == 7)
        puts("seven");
    if (sum(6, 1, 2, 3, 4, 5, number[0], number[1]) == 7)
        puts("seven");
    if (product(1, factor[0], factor[1]) == 7)
        puts("seven");
    if (product(8, 1., 2., 3., 4., 5., 6., 7., factor[0], factor[1]) == 7)
        puts("seven");
    free(number);
    free(factor);
    return 0;
}
