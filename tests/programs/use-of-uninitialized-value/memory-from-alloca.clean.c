// A pointer is written to memory of alloca, and read from it.
// RUN: options --enable use-of-uninitialized-value
#include <alloca.h>

__attribute__((noinline)) static int first_of(int **data) {
    return **data;
}

int main(int argc, char **argv) {
    int **data = alloca(sizeof(int *));
    (void)argv;
    *data = &argc;
    return first_of(data) - 1;
}
