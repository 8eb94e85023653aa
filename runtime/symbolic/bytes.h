/* Single bytes of memory in models of library functions: their values and expressions, and the
 * decisions that the function's plain C text would make about them. */
#ifndef WHENCE_SYMBOLIC_BYTES_H
#define WHENCE_SYMBOLIC_BYTES_H

#include "decisions.h"
#include "memory.h"
#include "../blocks/block.h"

struct byte {
    uint8_t value;
    uint32_t number;
};

static inline struct byte byte_at(const char *at) {
    return (struct byte){*(const uint8_t *)at, memory_byte((uintptr_t)at)};
}

/* The expression of a byte, a constant if it is concrete. */
static inline uint32_t byte_number(struct byte byte) {
    return byte.number ? byte.number : expression_constant(8, byte.value);
}

/* A comparison of two bytes as an expression; 0 if both are concrete. */
static inline uint32_t byte_compared(unsigned op, struct byte a, struct byte b) {
    if (!a.number && !b.number) return 0;
    uint32_t one = byte_number(a), other = byte_number(b);
    return one && other ? expression_make(op, 1, one, other, 0, 0) : 0;
}

/* Whether two bytes are equal, which is decided. */
static inline int byte_equals(struct byte a, struct byte b, uint64_t pc) {
    decision_branch(byte_compared(WH_OP_EQ, a, b), a.value == b.value, pc);
    return a.value == b.value;
}

static inline int byte_is(struct byte byte, uint8_t value, uint64_t pc) {
    return byte_equals(byte, (struct byte){value, 0}, pc);
}

/* Whether it is at least `low` and at most `high`, as two decisions. */
static inline int byte_within(struct byte byte, uint8_t low, uint8_t high, uint64_t pc) {
    struct byte least = {low, 0}, most = {high, 0};
    decision_branch(byte_compared(WH_OP_ULE, least, byte), low <= byte.value, pc);
    if (byte.value < low) return 0;
    decision_branch(byte_compared(WH_OP_ULE, byte, most), byte.value <= high, pc);
    return byte.value <= high;
}

/* The same letter in lower case. */
struct byte byte_lower(struct byte byte);

/* How far a model may read from a pointer: what lies behind is found by the checks of the call. */
static inline size_t bytes_readable(const char *at) {
    struct whence_bounds around = blocks_extent((uintptr_t)at);
    return (size_t)(around.begin + around.size - (uintptr_t)at);
}

/* Bytes before the first zero, at most `most`. */
size_t bytes_length(const char *string, size_t most, uint64_t pc);

#endif
