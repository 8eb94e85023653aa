/* Origins of undefined bits (whence.abi.undefined), and the fill words that hold them. */
#ifndef WHENCE_VALUES_ORIGIN_H
#define WHENCE_VALUES_ORIGIN_H

#include <stdint.h>
#include "whence_abi.h"

#define ORIGIN_DIGIT_MASK ((1ull << WH_STACK_ORIGIN_DIGIT_BITS) - 1)

/* The origin of a block with this allocation stack, a handle of the depot. */
static inline uint64_t origin_of_stack(uint32_t stack) {
    uint64_t origin = WH_STACK_ORIGIN, rest = stack;
    for (unsigned i = 0; i < WH_STACK_ORIGIN_DIGITS; i++, rest >>= WH_STACK_ORIGIN_DIGIT_BITS)
        origin += (rest & ORIGIN_DIGIT_MASK) << (8 * i);
    return rest || !stack ? 0 : origin;
}

/* The stack of the depot that an origin stands for; 0 for any other origin. */
uint32_t origin_stack(uint64_t origin);

/* Whether it is that of fill words of unknown origin, stands for a stack, or leads to a constant of
 * generated code. */
int origin_is_valid(uint64_t origin);

/* The origin that the address of a constant is. */
uint64_t origin_of_constant(uint64_t address);

/* The text of a constant that an origin leads to, NULL for any other origin. */
const char *origin_text(uint64_t origin);

static inline uint64_t origin_fill(uint64_t origin) {
    return (uint64_t)WH_FILL << WH_FILL_SHIFT | (origin ? origin : WH_UNKNOWN_ORIGIN);
}

#define ORIGIN_MASK ((1ull << WH_FILL_SHIFT) - 1)

/* Whether the word is a fill word. */
static inline int origin_fills(uint64_t word) {
    return word >> WH_FILL_SHIFT == WH_FILL && origin_is_valid(word & ORIGIN_MASK);
}

/* Which bytes of `word` (as bits) are those of a fill word for all that can be seen, if the bytes
 * `kept` of it are there and the others lost; *origin is the one that they have, or 0 if they do
 * not determine it (lost.c). */
uint64_t origin_left(uint64_t word, uint64_t kept, uint64_t *origin);

#endif
