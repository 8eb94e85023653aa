// The remainder of the least number and -1: the processor computes the quotient, too.
// RUN: options --enable division-overflow
#include <stdint.h>

static int64_t rest(int64_t value, int64_t by) {
    return value % by; // EXPECT division-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return rest(INT64_MIN, -argc) == 1;
}
