// Two records are compared as bytes.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    int number;
    char name[12];
};

int main(void) {
    struct record *one = malloc(sizeof *one);
    struct record *other = calloc(1, sizeof *other);
    if (!one || !other)
        return 1;
    one->number = 0;
    strncpy(one->name, "", sizeof one->name);
    if (memcmp(one, other, sizeof *one) == 0)
        puts("same");
    free(one);
    free(other);
    return 0;
}
