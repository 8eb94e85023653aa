// A sum has an addend that was never set.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>

__attribute__((noinline)) static double sum(const double *numbers, int count) {
    double total = 0;
    for (int i = 0; i < count; i++)
        total += numbers[i];
    return total;
}

__attribute__((noinline)) static void fill(double *numbers, int count) {
    for (int i = 1; i < count; i++)
        numbers[i] = i;
}

int main(void) {
    double numbers[40]; // BORN
    fill(numbers, 40);
    if (sum(numbers, 40) > 100) // EXPECT use-of-uninitialized-value use branch
        puts("much");
    return 0;
}
