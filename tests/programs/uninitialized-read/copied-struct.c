// A struct is copied with a member that was never set; reading it in the copy is the error.
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
    struct record *other = malloc(2 * sizeof *other); // ALLOC
    if (!one || !other)
        return 1;
    one->kind = 1;
    one->number = 2;
    other[0] = *one;
    other[1] = same(other[0]);
    int result = kind_of(other[1]) + other[1].number;
    long weight = other[1].weight; // EXPECT uninitialized-read read 8 block 32 inside 24
    free(one);
    free(other);
    return result + (int)(weight & 0) != 3;
}
