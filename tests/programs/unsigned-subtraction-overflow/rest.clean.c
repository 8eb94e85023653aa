// What is taken is limited first.
// RUN: options --enable unsigned-subtraction-overflow
#include <stddef.h>

static size_t rest(size_t size, size_t used) {
    return used > size ? 0 : size - used;
}

int main(int argc, char **argv) {
    (void)argv;
    return rest(16, 16 + (size_t)argc) == 77;
}
