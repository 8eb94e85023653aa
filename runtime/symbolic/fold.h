/* What an expression is worth, and which simpler one it equals. */
#ifndef WHENCE_SYMBOLIC_FOLD_H
#define WHENCE_SYMBOLIC_FOLD_H

#include "expressions.h"

static inline uint64_t fold_mask(unsigned width) {
    return width < 64 ? (1ull << width) - 1 : UINT64_MAX;
}

/* The value of an expression by those of its operands, as SMT-LIB has it. */
uint64_t fold_value(const struct expression *of);

/* An equal expression without a new number, such as an operand; 0 for none. */
uint32_t fold_simpler(unsigned op, unsigned width, uint32_t a, uint32_t b, unsigned parameter);

#endif
