// A function returns a variable that only one path has set.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>

__attribute__((noinline)) static int limit_of(int count) {
    int limit; // BORN
    if (count > 5)
        limit = 100;
    return limit;
}

int main(int argc, char **argv) {
    (void)argv;
    if (limit_of(argc) > 50) // EXPECT use-of-uninitialized-value use branch
        puts("large");
    return 0;
}
