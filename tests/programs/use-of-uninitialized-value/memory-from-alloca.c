// A pointer is read from memory of alloca that was never written.
// RUN: options --enable use-of-uninitialized-value
#include <alloca.h>

__attribute__((noinline)) static int first_of(int **data) {
    return **data;  // EXPECT use-of-uninitialized-value use address
}

int main(int argc, char **argv) {
    int **data = alloca(sizeof(int *));  // BORN
    (void)argv;
    if (argc > 5)
        *data = &argc;
    return first_of(data) - 1;
}
