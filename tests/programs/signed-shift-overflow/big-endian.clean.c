// The first of four bytes is unsigned before it is shifted.
// RUN: options --enable signed-shift-overflow
#include <stdint.h>

static uint32_t word(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

int main(int argc, char **argv) {
    (void)argv;
    unsigned char bytes[4] = {(unsigned char)(199 + argc), 1, 2, 3};
    return word(bytes) == 7;
}
