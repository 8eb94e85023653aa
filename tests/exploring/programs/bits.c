/* Bits that are counted, turned round and rotated, and sums that stay at the ends of their type. */
#define SIZE 2
#include "paths.h"

#ifdef __clang__
#define ROTATED(a, n) __builtin_rotateleft8(a, n)
#define REVERSED(a) __builtin_bitreverse8(a)
#define SUM(a, b) __builtin_elementwise_add_sat(a, b)
#define DIFFERENCE(a, b) __builtin_elementwise_sub_sat(a, b)
#else
#define ROTATED(a, n) (uint8_t)((a) << ((n)&7) | (a) >> (-(n)&7))
#define REVERSED(a) (uint8_t)(((a)*0x80200802ull & 0x884422110ull) * 0x101010101ull >> 32)
#define SUM(a, b) (int8_t)((a) + (b) > 127 ? 127 : (a) + (b) < -128 ? -128 : (a) + (b))
#define DIFFERENCE(a, b) (uint8_t)((a) < (b) ? 0 : (a) - (b))
#endif

static void explore_me(uint8_t *x) {
    uint8_t a = x[0], b = x[1];
    if (__builtin_popcount(a) == 3) step(1);
    if (__builtin_popcountll((uint64_t)a << 40 | b) == 11) step(2);
    if (__builtin_ctz(a | 256u) == 5) step(3);
    if (__builtin_clzll(b | 1u) == 60) step(4);
    if (ROTATED(a, b) == 0x2d) step(5);
    if (REVERSED(a) == b) step(6);
    if (SUM((int8_t)a, (int8_t)b) == 127) step(7);
    if (SUM((int8_t)a, (int8_t)b) == -128) step(8);
    if (DIFFERENCE(a, b) == 0) step(9);
}
