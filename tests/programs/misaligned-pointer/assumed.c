// LLVM's align-assume tests: a pointer that is assumed to be aligned, and is not.
// RUN: options --enable misaligned-pointer
#include <stdlib.h>

static float sum(const float *samples, int count) {
    const float *aligned = __builtin_assume_aligned(samples, 32); // EXPECT misaligned-pointer
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
    int result = sum(samples + argc, 8) < 1;
    free(samples);
    return result;
}
