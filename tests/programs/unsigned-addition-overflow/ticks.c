// A counter of ticks wraps around while something waits.
// RUN: options --enable unsigned-addition-overflow
#include <stdint.h>

static uint32_t ticks = UINT32_MAX - 2;

static void tick(int times) {
    for (int i = 0; i < times; i++)
        ticks++; // EXPECT unsigned-addition-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    tick(4 + argc);
    return ticks == 77;
}
