// A counter of 64 bits is at its end.
// RUN: options --enable signed-addition-overflow
#include <stdint.h>

static int64_t next(int64_t count) {
    return count + 1; // EXPECT signed-addition-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return next(INT64_MAX - 1 + argc) == 0;
}
