// The size class of a request is computed, and of one for nothing.
// RUN: options --enable bit-scan-of-zero
#include <stddef.h>

static int class_of(size_t size) {
    return 63 - __builtin_clzl(size); // EXPECT bit-scan-of-zero
}

int main(int argc, char **argv) {
    (void)argv;
    int sum = 0;
    for (size_t size = 4; size != (size_t)(argc - 2); size--)
        sum += class_of(size);
    return sum + __builtin_ffs(argc - 1) == 77;
}
