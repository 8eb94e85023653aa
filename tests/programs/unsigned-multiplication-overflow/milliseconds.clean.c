// Seconds become milliseconds in 64 bits.
// RUN: options --enable unsigned-multiplication-overflow
#include <stdint.h>

static uint64_t milliseconds(uint32_t seconds) {
    return seconds * UINT64_C(1000);
}

int main(int argc, char **argv) {
    (void)argv;
    return milliseconds(5000000u * (uint32_t)argc) == 77;
}
