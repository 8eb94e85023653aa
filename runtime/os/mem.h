/* Memory helpers that never call the C library, whose versions may be replaced
 * or instrumented by the program. */
#ifndef WHENCE_OS_MEM_H
#define WHENCE_OS_MEM_H

#include <stddef.h>
#include <stdint.h>

#define WH_LIKELY(x) __builtin_expect(!!(x), 1)
#define WH_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define WH_COLD __attribute__((cold, noinline))
#define WH_EXPORT __attribute__((visibility("default")))
/* For small variables that every process writes: they share a page, of which a child of a fork gets
 * a copy when it writes there first, instead of lying between large tables on a page each. */
#define WH_WRITTEN __attribute__((section("whence_written")))
#define WH_CONTAINER(pointer, type, field)                                                         \
    ((type *)(uintptr_t)((uintptr_t)(pointer) - offsetof(type, field)))

/* A word that may lie anywhere and alias anything. */
typedef uint64_t __attribute__((may_alias, aligned(1))) wh_word;
/* The same at a multiple of its size, as atomic accesses need it. */
typedef uint64_t __attribute__((may_alias)) wh_aligned_word;

static inline void wh_fill(void *to, uint8_t byte, size_t size) {
    void *end = to;
    __asm__ volatile("rep stosb" : "+D"(end), "+c"(size) : "a"(byte) : "memory");
}

static inline void wh_copy(void *to, const void *from, size_t size) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

/* The same, quicker for some hundred bytes, where the one instruction takes long to begin. */
static inline void wh_copy_short(void *to, const void *from, size_t size) {
    volatile wh_word *word = to;
    const wh_word *source = from;
    size_t words = size / sizeof *word;
    if (size > 512) {
        wh_copy(to, from, size);
        return;
    }
    for (size_t i = 0; i < words; i++) word[i] = source[i];
    for (size_t i = words * sizeof *word; i < size; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
}

/* Fills an 8-byte aligned run of whole words: quicker than wh_fill below a kilobyte. */
static inline void wh_fill_words(void *to, uint8_t byte, size_t words) {
    volatile wh_word *word = to;
    uint64_t value = byte * 0x0101010101010101ull;
    for (size_t i = 0; i < words; i++) word[i] = value;
}

/* Up to eight bytes of memory, as a number; none beyond them is read. */
static inline uint64_t wh_number(uintptr_t address, uint64_t size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)*(const volatile uint8_t *)(address + i) << (8 * i);
    return value;
}

/* FNV-1a, of more bytes behind those that `digest` is of. */
#define WH_DIGEST_OF_NOTHING 0xcbf29ce484222325ull
static inline uint64_t wh_digest(uint64_t digest, const void *bytes, uint64_t size) {
    for (uint64_t i = 0; i < size; i++)
        digest = (digest ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3ull;
    return digest;
}

/* Each byte is read, also where the compiler believes to know it. */
static inline int wh_same_bytes(uintptr_t a, uintptr_t b, uint64_t size) {
    const volatile uint8_t *one = (const uint8_t *)a, *other = (const uint8_t *)b;
    for (uint64_t i = 0; i < size; i++)
        if (one[i] != other[i]) return 0;
    return 1;
}

static inline size_t wh_length(const char *text) {
    size_t n = 0;
    while (text[n]) n++;
    return n;
}

static inline int wh_same(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

/* Below 0, 0 or above 0 as the bytes of the first text are less than, equal to or more than the
 * other's. */
static inline int wh_compare(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return (int)(uint8_t)*a - (int)(uint8_t)*b;
}

static inline int wh_begins(const char *text, const char *begin) {
    while (*begin && *text == *begin) text++, begin++;
    return !*begin;
}

/* What follows the last slash of a path. */
static inline const char *wh_base_name(const char *path) {
    const char *name = path;
    for (const char *c = path; *c; c++)
        if (*c == '/') name = c + 1;
    return name;
}

static inline uint64_t wh_round_up(uint64_t value, uint64_t unit) {
    return (value + unit - 1) & ~(unit - 1);
}

static inline uint64_t wh_round_down(uint64_t value, uint64_t unit) { return value & ~(unit - 1); }

#endif
