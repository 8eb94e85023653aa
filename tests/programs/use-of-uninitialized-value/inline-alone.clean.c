// A function that is there to be inlined alone (C99) is called with a variable that is always written.
// RUN: options --enable use-of-uninitialized-value
// RUN: cflags -O1
#include <stdio.h>

inline int next(int x) {
    return x + 1;
}

int main(int argc, char **argv) {
    int start = 0;
    if (argc > 1)
        start = 1;
    if (next(start) > 5)
        puts("large");
    return 0;
}
