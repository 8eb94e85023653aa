// A variable that is set on one path is copied on the other.
// RUN: options --enable uninitialized-read
#include <stdio.h>

static volatile int kept;

int main(int argc, char **argv) {
    int chosen; // BORN
    if (argc > 1)
        chosen = argv[1][0];
    kept = chosen; // EXPECT uninitialized-read read 4
    puts("done");
    return 0;
}
