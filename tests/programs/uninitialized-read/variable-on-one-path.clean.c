// A variable is set on both paths.
// RUN: options --enable uninitialized-read
#include <stdio.h>

static volatile int kept;

int main(int argc, char **argv) {
    int chosen = 0;
    if (argc > 1)
        chosen = argv[1][0];
    kept = chosen;
    puts("done");
    return 0;
}
