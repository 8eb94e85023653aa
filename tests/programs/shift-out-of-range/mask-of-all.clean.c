// A mask of 32 bits is made by a shift of 64 bits.
// RUN: options --enable shift-out-of-range
#include <stdint.h>

static uint32_t mask(unsigned bits) {
    return (uint32_t)((UINT64_C(1) << bits) - 1);
}

int main(int argc, char **argv) {
    (void)argv;
    return mask(31 + (unsigned)argc) == 7;
}
