// The magnitude of the least number is computed as its negative.
// RUN: options --enable signed-subtraction-overflow
#include <limits.h>

static unsigned magnitude(int number) {
    if (number >= 0)
        return (unsigned)number;
    return (unsigned)-number; // EXPECT signed-subtraction-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return magnitude(INT_MIN + argc - 1) == 0;
}
