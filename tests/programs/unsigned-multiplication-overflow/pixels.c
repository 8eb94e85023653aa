// The size of a picture is computed in 32 bits.
// RUN: options --enable unsigned-multiplication-overflow
#include <stdint.h>

static uint64_t bytes(uint32_t width, uint32_t height) {
    return width * height * 4; // EXPECT unsigned-multiplication-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return bytes(65536u * (uint32_t)argc, 65536) == 77;
}
