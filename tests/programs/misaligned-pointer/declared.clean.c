// Functions and parameters that are declared with an alignment, with more than a page as in LLVM's tests.
// RUN: options --enable misaligned-pointer --keep-going
#include <stddef.h>
#include <stdint.h>

static _Alignas(0x8000) char arena[0x18000];

__attribute__((alloc_align(1), noinline)) static void *take(size_t align, size_t at) {
    (void)align;
    return arena + at;
}

__attribute__((assume_aligned(16), noinline)) static void *line(size_t at) {
    return arena + at;
}

__attribute__((noinline)) static int first(char *page __attribute__((align_value(0x8000)))) {
    return page[0];
}

int main(int argc, char **argv) {
    (void)argv;
    char *block = take(64, 64);
    char *other = take((size_t)argc * 48, 4); // 48 is no power of two, and promises nothing
    char *row = line((size_t)argc * 16);
    return first(arena + 0x8000) + block[0] + other[0] + row[0];
}
