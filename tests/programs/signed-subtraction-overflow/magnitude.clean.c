// The magnitude of the least number is computed as an unsigned number.
// RUN: options --enable signed-subtraction-overflow
#include <limits.h>

static unsigned magnitude(int number) {
    if (number >= 0)
        return (unsigned)number;
    return 0u - (unsigned)number;
}

int main(int argc, char **argv) {
    (void)argv;
    return magnitude(INT_MIN + argc - 1) == 0;
}
