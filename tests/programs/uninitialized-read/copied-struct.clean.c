// A struct with padding is copied, passed and returned by value; all of its members are set.
// RUN: options --enable uninitialized-read
#include <stdlib.h>

struct record {
    char kind;
    int number;
    long weight;
};

__attribute__((noinline)) static int kind_of(struct record given) {
    return given.kind;
}

__attribute__((noinline)) static struct record same(struct record given) {
    return given;
}

int main(void) {
    struct record *one = malloc(sizeof *one);
    struct record *other = malloc(2 * sizeof *other);
    if (!one || !other)
        return 1;
    one->kind = 1;
    one->number = 2;
    one->weight = 3;
    other[0] = *one;
    other[1] = same(other[0]);
    int result = kind_of(other[1]) + other[1].number;
    long weight = other[1].weight;
    free(one);
    free(other);
    return result + (int)(weight & 0) != 3;
}
