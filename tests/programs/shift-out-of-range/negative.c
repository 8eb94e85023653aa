// What is left of a word is negative where all of it was read.
// RUN: options --enable shift-out-of-range
#include <stdint.h>

static uint64_t rest(uint64_t word, int used) {
    return word >> (64 - used); // EXPECT shift-out-of-range
}

int main(int argc, char **argv) {
    (void)argv;
    return rest(UINT64_MAX, 64 + argc) == 7;
}
