// A function returns a variable that every path has set.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>

__attribute__((noinline)) static int limit_of(int count) {
    int limit = 10;
    if (count > 5)
        limit = 100;
    return limit;
}

int main(int argc, char **argv) {
    (void)argv;
    if (limit_of(argc) > 50)
        puts("large");
    return 0;
}
