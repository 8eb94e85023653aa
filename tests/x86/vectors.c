/* Loops that compilers turn into vector code of every kind: conversions, masks, gathers, and
 * strides. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LOOP for (size_t i = 0; i < count; i++)

void add(float *to, const float *a, const float *b, size_t count) {
    LOOP to[i] = a[i] * b[i] + to[i];
}
void divide(double *to, const double *a, double by, size_t count) { LOOP to[i] = a[i] / by; }
void widen(int64_t *to, const int8_t *from, size_t count) { LOOP to[i] = from[i]; }
void narrow(uint8_t *to, const uint32_t *from, size_t count) { LOOP to[i] = (uint8_t)from[i]; }
void narrow_words(uint16_t *to, const uint64_t *from, size_t count) {
    LOOP to[i] = (uint16_t)from[i];
}
void floats(double *to, const int32_t *from, size_t count) { LOOP to[i] = from[i]; }
void integers(int32_t *to, const double *from, size_t count) { LOOP to[i] = (int32_t)from[i]; }
void longs(double *to, const uint64_t *from, size_t count) { LOOP to[i] = (double)from[i]; }
void gather(float *to, const float *from, const int32_t *at, size_t count) {
    LOOP to[i] = from[at[i]];
}
void scatter(double *to, const double *from, const int64_t *at, size_t count) {
    LOOP to[at[i]] = from[i];
}
void choose(int32_t *to, const int32_t *from, size_t count) {
    LOOP if (from[i] > 3) to[i] = from[i] << 2;
}
size_t compress(int32_t *to, const int32_t *from, size_t count) {
    size_t used = 0;
    LOOP if (from[i]) to[used++] = from[i];
    return used;
}
void pairs(float *to, const float *from, size_t count) {
    LOOP to[i] = from[2 * i] + from[2 * i + 1];
}
void reverse(uint16_t *to, const uint16_t *from, size_t count) { LOOP to[i] = from[count - 1 - i]; }
void shift(uint32_t *to, const uint32_t *by, size_t count) { LOOP to[i] = to[i] << (by[i] & 31); }
void largest(uint8_t *to, const uint8_t *from, size_t count) {
    LOOP to[i] = from[i] > to[i] ? from[i] : to[i];
}
long double sum(const long double *from, size_t count) {
    long double total = 0;
    LOOP total += from[i];
    return total;
}
uint64_t bits(const uint64_t *from, size_t count) {
    uint64_t total = 0;
    LOOP total += (uint64_t)__builtin_popcountll(from[i]);
    return total;
}
int dot(const int16_t *a, const int16_t *b, size_t count) {
    int total = 0;
    LOOP total += a[i] * b[i];
    return total;
}
struct big {
    char bytes[200];
};
void copy(struct big *to, const struct big *from) { *to = *from; }
void clear(struct big *to) { memset(to, 0, sizeof *to); }
unsigned swap(const unsigned *from) { return __builtin_bswap32(*from); }
int exchange(int *to, int value) { return __atomic_exchange_n(to, value, __ATOMIC_SEQ_CST); }
int count(int *to) { return __atomic_add_fetch(to, 1, __ATOMIC_SEQ_CST); }
__thread int own;
int mine(void) { return own++; }
