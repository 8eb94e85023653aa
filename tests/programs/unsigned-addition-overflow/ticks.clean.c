// The counter has 64 bits.
// RUN: options --enable unsigned-addition-overflow
#include <stdint.h>

static uint64_t ticks = UINT32_MAX - 2;

static void tick(int times) {
    for (int i = 0; i < times; i++)
        ticks++;
}

int main(int argc, char **argv) {
    (void)argv;
    tick(4 + argc);
    return ticks == 77;
}
