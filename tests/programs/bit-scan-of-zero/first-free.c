// The first free entry of a full table is searched.
// RUN: options --enable bit-scan-of-zero
#include <stdint.h>

static int first_free(uint64_t used) {
    return __builtin_ctzll(~used); // EXPECT bit-scan-of-zero
}

int main(int argc, char **argv) {
    (void)argv;
    return first_free(UINT64_MAX / (uint64_t)argc) == 77;
}
