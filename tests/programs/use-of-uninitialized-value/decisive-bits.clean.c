// Words and vectors that are read beyond what was written: what was written decides.
// RUN: options --enable use-of-uninitialized-value --keep-going
// RUN: cflags -O3 -msse4.2 -mbmi -mbmi2
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define APART __attribute__((noinline)) static

APART void fill(char *to, int count) { memset(to, 1, count); }

APART uint64_t word(const char *from) {
    uint64_t result;
    memcpy(&result, from, sizeof result);
    return result;
}

APART int order(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

APART uint64_t united(const uint64_t *from) {
    uint64_t result = 0;
    for (int i = 0; i < 8; i++)
        result |= from[i];
    return result;
}

int main(int argc, char **argv) {
    (void)argv;
    uint64_t more = (uint64_t)argc - 1, less = 1 - more; // no bit more than what was written
    struct { char bytes[16]; uint64_t words[8]; } some;
    fill(some.bytes, 4 * argc);
    some.bytes[3] = (char)more;
    some.words[3] = 0x7f | less << 7;
    uint64_t x = word(some.bytes), y = __builtin_bswap64(x), z = 0x0101010010000000 + ((2 * less + more) << 32);
    __m128i v = _mm_loadu_si128((__m128i *)some.bytes), count = _mm_cvtsi32_si128(32 - 8 * (int)more);
    __m128i mask = _mm_set_epi32(0, 0, 1, 2 + (int)less), set = _mm_set_epi32(0, 0, 0, argc);
    if (order(y, z) < 0)
        puts("ordered");
    if (__builtin_clzll(y ^ z) < 40)
        puts("zeros");
    if (_bzhi_u64(x, (unsigned)(32 + more)) == 0x01010101)
        puts("low");
    if (_pext_u64(x, 0xff000000 | more << 32) == 1)
        puts("taken");
    if (_bextr_u64(x, 24, (unsigned)(8 + more)) == 1)
        puts("from the middle");
    if (_mm_testz_si128(v, mask))
        puts("tested");
    if (_mm_cvtsi128_si64(_mm_srl_epi64(_mm_sll_epi64(v, count), count)) == 0x01010101)
        puts("shifted");
    if (_mm_cmpistri(set, v, _SIDD_CMP_EQUAL_ANY) == 7)
        puts("found");
    if ((united(some.words) & 0xff) == 0x7f)
        puts("united");
    return 0;
}
