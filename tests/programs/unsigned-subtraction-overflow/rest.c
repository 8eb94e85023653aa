// What is left of a buffer is computed after too much was taken.
// RUN: options --enable unsigned-subtraction-overflow
#include <stddef.h>

static size_t rest(size_t size, size_t used) {
    return size - used; // EXPECT unsigned-subtraction-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return rest(16, 16 + (size_t)argc) == 77;
}
