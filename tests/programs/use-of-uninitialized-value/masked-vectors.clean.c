// The clean twin of masked-vectors.c: what was not written is masked out.
// RUN: options --enable use-of-uninitialized-value --keep-going
// RUN: cflags -mssse3 -msse4.1 -mpclmul
#include <immintrin.h>
#include <stdio.h>
#include <string.h>

#define APART __attribute__((noinline)) static

APART int low(__m128i v) { return _mm_cvtsi128_si32(v); }

APART void fill(char *to, int count) { memset(to, 1, count); }

int main(int argc, char **argv) {
    (void)argv;
    char bytes[16];
    fill(bytes, 4 * argc);
    __m128i v = _mm_loadu_si128((__m128i *)bytes), zero = _mm_setzero_si128(), ones = _mm_set1_epi8(-1);
    __m128i high = _mm_set_epi8(0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1);
    __m128i taken = _mm_set_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 2, 3);
    if (low(_mm_shuffle_epi8(v, taken)) == 7)
        puts("shuffled");
    if (low(_mm_blendv_epi8(zero, v, ones)) + _mm_extract_epi32(_mm_blendv_epi8(v, zero, ones), 2) == 7)
        puts("blended");
    __m128i some = _mm_blendv_epi8(v, zero, zero);
    if (_mm_extract_epi32(_mm_packs_epi32(some, some), 0) & 0xffff == 7)
        puts("packed");
    if (low(_mm_clmulepi64_si128(_mm_unpacklo_epi32(v, zero), _mm_shuffle_epi8(v, taken), 0x00)) == 7)
        puts("multiplied");
    return low(high) == 3;
}
