// Two records are compared as bytes, one of which was never set.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    int number;
    char name[12];
};

int main(void) {
    struct record *one = malloc(sizeof *one); // BORN
    struct record *other = calloc(1, sizeof *other);
    if (!one || !other)
        return 1;
    one->number = 0;
    strcpy(one->name, "");
    if (memcmp(one, other, sizeof *one) == 0) // EXPECT use-of-uninitialized-value use memory in memcmp
        puts("same");
    free(one);
    free(other);
    return 0;
}
