// A number of pages becomes one of bytes in a type that is wide enough.
// RUN: options --enable unsigned-shift-overflow
#include <stdint.h>

static uint64_t bytes(uint32_t pages) {
    return (uint64_t)pages << 12;
}

int main(int argc, char **argv) {
    (void)argv;
    return bytes(0x200000u + (uint32_t)argc) == 7;
}
