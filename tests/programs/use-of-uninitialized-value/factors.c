// Numbers of which a digit was never written, by factors that are not 0: products depend on it.
// RUN: options --enable use-of-uninitialized-value --keep-going
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct number {
    int64_t size;
    uint32_t digits[8];
};

__attribute__((noinline)) static struct number *made(int64_t size) {
    struct number *number = malloc(sizeof *number); // BORN
    if (!number) exit(1);
    number->size = size;
    return number;
}

__attribute__((noinline)) static int64_t value(const struct number *number) {
    return number->size * number->digits[0];
}

__attribute__((noinline)) static uint32_t sum(const struct number *number, const uint32_t *factors) {
    uint32_t result = 0;
    for (int i = 0; i < 8; i++) result += number->digits[i] * factors[i];
    return result;
}

int main(int argc, char **argv) {
    (void)argv;
    struct number *number = made(argc);
    uint64_t product;
    uint32_t factors[8] = {0};
    factors[argc] = 3;
    if (value(number) == 1) // EXPECT use-of-uninitialized-value use branch
        puts("one");
    if (sum(number, factors) == 1) // EXPECT use-of-uninitialized-value use branch
        puts("sum");
    if (__builtin_mul_overflow(number->digits[1], (uint64_t)argc, &product)) // EXPECT use-of-uninitialized-value use branch
        puts("overflow");
    uint32_t a = number->digits[2] << 4, b = number->digits[3] << 4;
    if ((a * b & 0x1ff) == 0) // EXPECT use-of-uninitialized-value use branch
        puts("low bits");
    free(number);
    return 0;
}
