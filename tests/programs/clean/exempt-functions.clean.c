// Code that reads whole words or vectors up to the next boundary, past the end of its block, and says so with the
// attributes for AddressSanitizer: no finding in these functions. (In all others there is one: vector-load.c.)
#include <emmintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HAS(attribute) __has_attribute(attribute)
#if HAS(__no_sanitize_address__)
#define UNCHECKED __attribute__((__no_sanitize_address__))
#endif

UNCHECKED static size_t length(const char *text) {
    const __m128i *at = (const __m128i *)((uintptr_t)text & ~(uintptr_t)15), zero = _mm_setzero_si128();
    unsigned found = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128(at), zero));
    found &= ~0u << ((uintptr_t)text & 15);
    while (!found)
        found = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128(++at), zero));
    return (size_t)((const char *)at + __builtin_ctz(found) - text);
}

__attribute__((no_sanitize("address"), noinline)) static uint64_t last_word(const char *block, size_t size) {
    return *(const uint64_t *)(block + size / 8 * 8) & ((uint64_t)1 << size % 8 * 8) - 1;
}

static size_t checked(const char *text) {
    return strlen(text);
}

int main(void) {
    for (size_t size = 1; size < 40; size++) {
        char *text = malloc(size);
        memset(text, 'x', size - 1);
        text[size - 1] = 0;
        if (length(text) != checked(text) || (size % 8 == 1 && last_word(text, size)))
            return 1;
        free(text);
    }
    return 0;
}
