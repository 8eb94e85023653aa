// Structures are passed by value, in memory: the function uses a member that was never set.
// RUN: options --enable use-of-uninitialized-value --keep-going
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct order {
    long number;
    long price;
    int count;
    char size;
    long parts[90];
};

__attribute__((noinline)) static int is_cheap(struct order order) {
    return order.price < 10;
}

__attribute__((noinline)) static void check(struct order order) {
    if (order.parts[80]) // EXPECT use-of-uninitialized-value use branch
        puts("a part");
    if (order.count > 5) // EXPECT use-of-uninitialized-value use branch
        puts("many");
    if (order.size == 's') // no finding: it is set
        puts("small");
}

struct part {
    long number;
    long weight;
    int count;
};

__attribute__((noinline)) static long weigh(int count, ...) {
    va_list parts;
    long sum = 0;
    va_start(parts, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(parts, struct part).weight;
    va_end(parts);
    return sum;
}

int main(void) {
    struct order *order = malloc(sizeof *order); // BORN
    struct part *part = malloc(sizeof *part); // BORN
    if (!order || !part)
        return 1;
    order->number = 1;
    order->size = 's';
    part->number = 2;
    if (is_cheap(*order)) // EXPECT use-of-uninitialized-value use branch
        puts("cheap");
    check(*order);
    if (weigh(2, *part, *part) > 5) // EXPECT use-of-uninitialized-value use branch
        puts("heavy");
    free(order);
    free(part);
    return 0;
}
