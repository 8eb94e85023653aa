// Seconds become milliseconds in 32 bits.
// RUN: options --enable unsigned-multiplication-overflow
#include <stdint.h>

static uint64_t milliseconds(uint32_t seconds) {
    return seconds * 1000u; // EXPECT unsigned-multiplication-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return milliseconds(5000000u * (uint32_t)argc) == 77;
}
