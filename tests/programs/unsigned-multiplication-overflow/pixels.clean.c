// The size of the picture is computed in 64 bits.
// RUN: options --enable unsigned-multiplication-overflow
#include <stdint.h>

static uint64_t bytes(uint32_t width, uint32_t height) {
    return (uint64_t)width * height * 4;
}

int main(int argc, char **argv) {
    (void)argv;
    return bytes(65536u * (uint32_t)argc, 65536) == 77;
}
