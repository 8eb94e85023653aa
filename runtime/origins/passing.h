/* What calls pass, where the runtime stands between the caller and the called function. */
#ifndef WHENCE_ORIGINS_PASSING_H
#define WHENCE_ORIGINS_PASSING_H

#include "cells.h"

/* The node of an argument that the last call in checked code has passed, if it has this value. */
static inline uint32_t origins_passed(unsigned index, uint64_t value) {
    uint64_t word = __whence_origins.arguments[index];
    return word >> 32 == (uint32_t)value ? (uint32_t)word : 0;
}

/* The node of an argument that the last call has passed, if it has this value and points into a
 * literal. */
static inline uint32_t origins_passed_literal(uint64_t value) {
    const struct origins_passed *own = &__whence_origins;
    for (unsigned i = 0; i < own->passed.count && i < WHENCE_ORIGIN_ARGUMENTS; i++) {
        uint32_t node = origins_passed(i, value);
        if (node && node_is_literal(node)) return node;
    }
    return 0;
}

/* A function is about to be called with one argument. */
static inline void origins_pass(uint64_t function, uint32_t node, uint64_t value) {
    __whence_origins.passed.callee = function;
    __whence_origins.passed.count = 1;
    __whence_origins.arguments[0] = (uint64_t)(uint32_t)value << 32 | node;
}

/* The function that the last call in checked code is of returns a value with this node. */
static inline void origins_return(uint32_t node, uint64_t value) {
    __whence_origins.passed.returned = __whence_origins.passed.callee;
    __whence_origins.passed.result = (uint64_t)(uint32_t)value << 32 | node;
}

#endif
