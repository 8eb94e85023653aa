// The least number is divided by -1 in a wider type.
// RUN: options --enable division-overflow
#include <limits.h>

static int scaled(int value, int by) {
    return (int)((long long)value / by > 5);
}

int main(int argc, char **argv) {
    (void)argv;
    return scaled(INT_MIN, -argc) == 7;
}
