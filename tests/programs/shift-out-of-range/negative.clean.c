// What is left of a word is not shifted where all of it was read.
// RUN: options --enable shift-out-of-range
#include <stdint.h>

static uint64_t rest(uint64_t word, int used) {
    return used > 64 ? 0 : used ? word >> (64 - used) : 0;
}

int main(int argc, char **argv) {
    (void)argv;
    return rest(UINT64_MAX, 64 + argc) == 7;
}
