// The time that is left is computed to a deadline that means never.
// RUN: options --enable signed-subtraction-overflow
#include <stdint.h>

static const int64_t never = INT64_MIN;

static int64_t left(int64_t deadline, int64_t now) {
    return deadline - now; // EXPECT signed-subtraction-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return left(never, argc) == 0;
}
