// SIMD loads and stores, unaligned and masked by hand, that end exactly where blocks of any length
// end.
#include <emmintrin.h>
#include <stdlib.h>
#include <string.h>

static int sum(const unsigned char *p, size_t n) {
    __m128i total = _mm_setzero_si128();
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        total = _mm_add_epi64(total, _mm_sad_epu8(_mm_loadu_si128((const __m128i *)(p + i)), _mm_setzero_si128()));
    if (n >= 16 && i < n) {
        __m128i last = _mm_loadu_si128((const __m128i *)(p + n - 16));
        unsigned char b[16];
        _mm_storeu_si128((__m128i *)b, last);
        memset(b, 0, 16 - (n - i));
        total = _mm_add_epi64(total, _mm_sad_epu8(_mm_loadu_si128((const __m128i *)b), _mm_setzero_si128()));
        i = n;
    }
    int s = _mm_cvtsi128_si32(total) + _mm_cvtsi128_si32(_mm_srli_si128(total, 8));
    for (; i < n; i++)
        s += p[i];
    return s;
}

int main(void) {
    for (int n = 0; n < 100; n++) {
        unsigned char *p = malloc(n);
        memset(p, 2, n);
        if (sum(p, n) != 2 * n)
            return 1;
        if (n >= 8)
            _mm_storel_epi64((__m128i *)(p + n - 8), _mm_setzero_si128());
        if (n >= 16)
            _mm_maskmoveu_si128(_mm_setzero_si128(), _mm_setzero_si128(), (char *)p + n - 16);
        free(p);
    }
    return 0;
}
