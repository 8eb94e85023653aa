// The least number is divided by -1, which a user has chosen.
// RUN: options --enable division-overflow
#include <limits.h>

static int scaled(int value, int by) {
    return value / by; // EXPECT division-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return scaled(INT_MIN, -argc) == 7;
}
