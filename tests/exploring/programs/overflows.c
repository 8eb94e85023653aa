/* Results that do not fit, as the program asks for them: constant and varying factors, narrow and wide. */
#define SIZE 2
#include "paths.h"

#include <stdlib.h>

/* Whether a product has more than 40 bits. */
static int is_long(int8_t a, int8_t b) {
#ifdef __clang__
    _BitInt(40) odd;
    return __builtin_mul_overflow((_BitInt(40))a << 25, (_BitInt(40))b << 2, &odd);
#else
    int64_t product = a * (1ll << 25) * b * 4;
    return product >> 39 != product >> 63;
#endif
}

static void explore_me(uint8_t *x) {
    int8_t a = (int8_t)x[0], b = (int8_t)x[1], narrow;
    int word;
    unsigned number;
    int64_t wide;
    uint64_t huge;
    if (__builtin_add_overflow(a, b, &narrow)) step(1);
    if (__builtin_sub_overflow(a, b, &narrow)) step(2);
    if (__builtin_mul_overflow(a, b, &narrow)) step(3);
    if (__builtin_mul_overflow(a * 60000, b * 1000, &word)) step(4);
    if (__builtin_sub_overflow((unsigned)x[0], (unsigned)x[1], &number)) step(5);
    if (__builtin_add_overflow(0xffffff80u + x[0] / 4, (unsigned)x[1], &number)) step(6);
    if (__builtin_mul_overflow(a * (1ll << 40), b * (1ll << 19), &wide)) step(7);
    if (__builtin_mul_overflow(a * (1ll << 40), -70000ll, &wide)) step(8);
    if (__builtin_mul_overflow((uint64_t)x[0] << 40, (uint64_t)x[1] << 14, &huge)) step(9);
    if (__builtin_mul_overflow((uint64_t)x[0], 0x123456789abcdefull, &huge)) step(10);
    if (is_long(a, b)) step(11);
    if (__builtin_bswap32(0x11220000u + x[0] * 256u + x[1]) % 7 == 3) step(12);
    if (abs(a) == 100) step(13);
}
