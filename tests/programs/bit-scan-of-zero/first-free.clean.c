// The table is tested for a free entry first.
// RUN: options --enable bit-scan-of-zero
#include <stdint.h>

static int first_free(uint64_t used) {
    return used == UINT64_MAX ? -1 : __builtin_ctzll(~used);
}

int main(int argc, char **argv) {
    (void)argv;
    return first_free(UINT64_MAX / (uint64_t)argc) == 77;
}
