// A mask of 32 bits is made by a shift by 32.
// RUN: options --enable shift-out-of-range
#include <stdint.h>

static uint32_t mask(unsigned bits) {
    return (1u << bits) - 1; // EXPECT shift-out-of-range
}

int main(int argc, char **argv) {
    (void)argv;
    return mask(31 + (unsigned)argc) == 7;
}
