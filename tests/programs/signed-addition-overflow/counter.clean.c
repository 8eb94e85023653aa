// A counter of 64 bits is tested before it grows.
// RUN: options --enable signed-addition-overflow
#include <stdint.h>

static int64_t next(int64_t count) {
    return count == INT64_MAX ? count : count + 1;
}

int main(int argc, char **argv) {
    (void)argv;
    return next(INT64_MAX - 1 + argc) == 0;
}
