#include "origin.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../stacks/depot.h"

/* ---- stacks ---- */

#define DIGITS_MASK ((1ull << (8 * WH_STACK_ORIGIN_DIGITS)) - 1)

uint32_t origin_stack(uint64_t origin) {
    uint64_t stack = 0;
    for (unsigned i = 0; i < WH_STACK_ORIGIN_DIGITS; i++) {
        uint64_t digit = ((origin >> (8 * i)) & 0xff) - ((WH_STACK_ORIGIN >> (8 * i)) & 0xff);
        if (digit > ORIGIN_DIGIT_MASK) return 0;
        stack |= digit << (WH_STACK_ORIGIN_DIGIT_BITS * i);
    }
    if ((origin ^ WH_STACK_ORIGIN) & ~DIGITS_MASK) return 0;
    return depot_has((uint32_t)stack) ? (uint32_t)stack : 0;
}

/* ---- constants ---- */

/* Those that were found to be there. They are not looked at again: it takes a system call. */
#define FOUND 1024u
static uint64_t found[FOUND];

static int is_constant(uint64_t address) {
    struct whence_undefined constant;
    uint64_t *entry = &found[(address >> 3) % FOUND];
    if (__atomic_load_n(entry, __ATOMIC_RELAXED) == address) return 1;
    uint64_t last = address + sizeof constant - 1;
    if (address < WH_NULL_PAGE_SIZE || address >> WH_ORIGIN_BITS) return 0;
    if ((address ^ last) / OS_PAGE || address % _Alignof(struct whence_undefined)) return 0;
    if (!os_copy(&constant, address, sizeof constant)) return 0;
    if (constant.magic != WHENCE_UNDEFINED_MAGIC) return 0;
    __atomic_store_n(entry, address, __ATOMIC_RELAXED);
    return 1;
}

int origin_is_valid(uint64_t origin) {
    return !origin || origin_stack(origin) || is_constant(origin);
}

/* ---- what is left of a fill word ---- */

#define HALF_SHIFT 32u
#define LOW_HALF ((1ull << HALF_SHIFT) - 1)

/* Upper halves of the addresses of images. */
#define HALVES 8u
static uint32_t halves[HALVES];

void origin_near(uintptr_t pc) {
    uint32_t half = (uint32_t)(pc >> HALF_SHIFT);
    for (unsigned i = 0; i < HALVES; i++) {
        uint32_t empty = 0;
        if (__atomic_load_n(&halves[i], __ATOMIC_RELAXED) == half) return;
        if (__atomic_compare_exchange_n(&halves[i], &empty, half, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return;
        if (empty == half) return;
    }
}

/* The upper halves of origins of most stacks are the same. */
static uint64_t upper_of_stacks(void) { return WH_STACK_ORIGIN >> HALF_SHIFT; }

/* Whether the upper half of a word is that of some fill word. */
static int is_upper_fill(uint64_t word) {
    uint64_t upper = word >> HALF_SHIFT & (ORIGIN_MASK >> HALF_SHIFT);
    if (word >> WH_FILL_SHIFT != WH_FILL) return 0;
    for (unsigned i = 0; i < HALVES; i++)
        if (halves[i] && upper == halves[i]) return 1;
    return upper == upper_of_stacks();
}

uint64_t origin_left(uint64_t word, uint64_t kept, uint64_t *origin) {
    *origin = 0;
    if ((kept & ~LOW_HALF) == ~LOW_HALF) return is_upper_fill(word) ? ~LOW_HALF : 0;
    if ((kept & LOW_HALF) != LOW_HALF) return 0;
    for (unsigned i = 0; i <= HALVES; i++) {
        uint64_t upper = i < HALVES ? halves[i] : upper_of_stacks();
        uint64_t whole = upper << HALF_SHIFT | (word & LOW_HALF);
        if (!upper || !origin_is_valid(whole) || ((origin_fill(whole) ^ word) & kept)) continue;
        *origin = whole;
        return kept;
    }
    return 0;
}
