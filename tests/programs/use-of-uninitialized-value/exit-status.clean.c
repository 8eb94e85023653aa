// The exit status is always set.
// RUN: options --enable use-of-uninitialized-value
#include <stdlib.h>

__attribute__((noinline)) static void run(int *status, int count) {
    if (count > 1)
        *status = 0;
}

int main(int argc, char **argv) {
    (void)argv;
    int status = 0;
    run(&status, argc);
    return status;
}
