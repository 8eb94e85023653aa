/* The last use of a pointer: what its nodes are made of is known, and they are made when they are
 * asked for (whence.abi.origins.RECIPES). */
#ifndef WHENCE_ORIGINS_RECIPES_H
#define WHENCE_ORIGINS_RECIPES_H

#include "whence_abi.h"
#include <stdint.h>

struct use_value {
    uint64_t word;
    uint32_t node; /* 0: none */
    int has_sign;
};

/* An index, and what it was computed from. */
struct use_values {
    struct use_value index;
    unsigned operand_count;
    struct use_value operands[WH_ORIGIN_MOST_OPERANDS];
};

/* What generated code says of an index in one number: how many operands it has, and above that
 * which of them have a sign. */
static inline unsigned said_operands(uint32_t said) {
    return said & ((1u << WH_RECIPE_SIGNS_SHIFT) - 1);
}
static inline int said_sign(uint32_t said, unsigned operand) {
    return (int)(said >> (WH_RECIPE_SIGNS_SHIFT + operand) & 1);
}

/* has_values: the use has an index. distance: of the use from the pointer, where it has none.
 * is_call: the pointer is called. */
struct use_nodes {
    uint32_t pointer; /* 0: none */
    int has_values;
    int is_call;
    int32_t distance;
    struct use_values values;
};

/* The nodes of the thread's last use. */
struct use_nodes use_nodes(void);

/* Makes them now: pointers that they are made of are no longer kept, so that a leak search does not
 * find them. */
void use_settle(void);

#endif
