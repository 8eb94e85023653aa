// LLVM's align-assume tests: the third operand says how far the pointer lies behind a multiple.
// RUN: options --enable misaligned-pointer
#include <stdlib.h>

static float sum(const float *samples, int count, size_t behind) {
    const float *aligned = __builtin_assume_aligned(samples, 32, behind);
    float result = 0;
    for (int i = 0; i < count; i++)
        result += aligned[i];
    return result;
}

int main(int argc, char **argv) {
    (void)argv;
    float *samples = aligned_alloc(32, 64);
    for (int i = 0; i < 16; i++)
        samples[i] = (float)i;
    int result = sum(samples + argc, 8, argc * sizeof *samples) < 1;
    free(samples);
    return result;
}
