// Structures are passed by value, in memory, with members that are not set and not used.
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
    if (order.parts[80])
        puts("a part");
    if (order.count > 5)
        puts("many");
    if (order.size == 's')
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
    struct order *order = malloc(sizeof *order);
    struct part *part = malloc(sizeof *part);
    if (!order || !part)
        return 1;
    order->number = 1;
    order->size = 's';
    order->price = order->count = 3;
    order->parts[80] = 0;
    part->number = 2;
    part->weight = 2;
    if (is_cheap(*order))
        puts("cheap");
    check(*order);
    if (weigh(2, *part, *part) > 5)
        puts("heavy");
    free(order);
    free(part);
    return 0;
}
