// The exit status was never set.
// RUN: options --enable use-of-uninitialized-value
#include <stdlib.h>

__attribute__((noinline)) static void run(int *status, int count) {
    if (count > 1)
        *status = 0;
}

int main(int argc, char **argv) {
    (void)argv;
    int status; // BORN
    run(&status, argc);
    return status; // EXPECT use-of-uninitialized-value use status
}
