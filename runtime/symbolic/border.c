#include "decisions.h"
#include "derived.h"
#include "expressions.h"
#include "memory.h"
#include "tables.h"
#include "trace.h"
#include "../blocks/block.h"
#include "../include/whence/symbolic.h"
#include "../os/mem.h"

#include <stddef.h>

WH_EXPORT __thread struct symbolic_passed __whence_symbolic;

/* ---- expressions ---- */

struct pair {
    uint32_t a, b;
};

static struct pair operands(uint32_t what, uint32_t a, uint64_t a_value, uint32_t b,
                            uint64_t b_value) {
    unsigned width = what >> WHENCE_MADE_WIDTH_SHIFT & 0xff;
    struct pair pair = {a ? a : expression_constant(width, a_value),
                        b ? b : expression_constant(width, b_value)};
    return what & WHENCE_MADE_SWAPPED ? (struct pair){pair.b, pair.a} : pair;
}

/* Where no expression can be made, what it would be made of is bound. */
static uint32_t made_or_bound(uint32_t made, uint32_t a, uint32_t b, uint32_t c) {
    if (made) return made;
    uint64_t pc = (uintptr_t)__builtin_return_address(0);
    decision_bind(a, WH_REASON_LIMIT, pc);
    decision_bind(b, WH_REASON_LIMIT, pc);
    decision_bind(c, WH_REASON_LIMIT, pc);
    return 0;
}

static uint32_t binary(uint32_t op, unsigned width, uint32_t a, uint32_t b) {
    uint32_t made = a && b ? expression_make(op, width, a, b, 0, 0) : 0;
    return made_or_bound(made, a, b, 0);
}

static uint32_t if_varying(uint32_t number) { return expression_varies(number) ? number : 0; }

WH_EXPORT uint32_t __whence_symbolic_cold_make(uint32_t what, uint32_t a, uint64_t a_value,
                                               uint32_t b, uint64_t b_value) {
    unsigned op = what & 0xff, width = what >> WHENCE_MADE_WIDTH_SHIFT & 0xff;
    struct pair pair = operands(what, a, a_value, b, b_value);
    if (op >= WH_DERIVED_ADD_OVERFLOWS)
        return if_varying(
            made_or_bound(derived_make(op, width, pair.a, pair.b), pair.a, pair.b, 0));
    int compares = op >= WH_OP_EQ && op <= WH_OP_SLE;
    uint32_t made = binary(op, compares ? 1 : width, pair.a, pair.b);
    if (made && what & WHENCE_MADE_NEGATED) made = expression_not(made);
    return if_varying(made);
}

WH_EXPORT uint32_t __whence_symbolic_cold_cast(uint32_t what, uint32_t a) {
    unsigned width = what >> WHENCE_MADE_WIDTH_SHIFT & 0xff;
    uint32_t made = (what & 0xff) == WH_OP_SEXT ? expression_make(WH_OP_SEXT, width, a, 0, 0, 0)
                                                : expression_resized(a, width);
    return if_varying(made_or_bound(made, a, 0, 0));
}

WH_EXPORT uint32_t __whence_symbolic_cold_choose(uint32_t condition, uint32_t width, uint32_t a,
                                                 uint64_t a_value, uint32_t b, uint64_t b_value) {
    struct pair pair = operands(width << WHENCE_MADE_WIDTH_SHIFT, a, a_value, b, b_value);
    if (pair.a == pair.b) return if_varying(pair.a);
    uint32_t made =
        pair.a && pair.b ? expression_make(WH_OP_ITE, width, condition, pair.a, pair.b, 0) : 0;
    return if_varying(made_or_bound(made, condition, pair.a, pair.b));
}

/* ---- memory ---- */

WH_EXPORT uint32_t __whence_symbolic_cold_loaded(uint64_t at, uint64_t size, uint64_t value) {
    return if_varying(memory_load(at, (unsigned)size, value));
}

WH_EXPORT void __whence_symbolic_cold_stored(uint64_t at, uint64_t size, uint32_t number) {
    memory_store(at, (unsigned)size, number);
}

WH_EXPORT void __whence_symbolic_clear(uint64_t at, uint64_t size) { memory_clear(at, size); }

WH_EXPORT void __whence_symbolic_bytes(uint64_t at, uint64_t size, uint32_t reason) {
    memory_bind(at, size, reason, (uintptr_t)__builtin_return_address(0));
}

WH_EXPORT void __whence_symbolic_copy(uint64_t to, uint64_t from, uint64_t size) {
    memory_copy(to, from, size);
}

WH_EXPORT void __whence_symbolic_set(uint64_t at, uint32_t number, uint64_t size) {
    if (!number) {
        memory_clear(at, size);
        return;
    }
    for (uint64_t i = 0; i < size; i++) memory_store(at + i, 1, number);
}

/* ---- decisions ---- */

WH_EXPORT void __whence_symbolic_cold_decide(uint32_t condition, uint64_t taken, uint64_t line,
                                             uint64_t pc) {
    decision_branch_of(condition, (int)taken, line, pc);
}

WH_EXPORT void __whence_symbolic_cold_select(uint32_t scrutinee, uint64_t value,
                                             const uint64_t *cases, uint64_t line, uint64_t pc) {
    decision_switch(scrutinee, value, cases, line, pc);
}

WH_EXPORT void __whence_symbolic_cold_bind(uint32_t number, uint64_t value, uint32_t reason,
                                           uint64_t pc) {
    (void)value;
    decision_bind(number, reason, pc);
}

WH_EXPORT void __whence_symbolic_cold_tell(uint32_t address, uint64_t at, uint64_t size,
                                           uint64_t root, uint64_t extent, uint32_t how,
                                           uint64_t pc) {
    reach_say(&(struct reach){address, at, size, root, extent, pc}, how);
}

WH_EXPORT void __whence_symbolic_cold_reach(uint32_t address, uint64_t at, uint64_t size,
                                            uint64_t root, uint64_t extent, uint32_t how,
                                            uint64_t pc) {
    reach_say(&(struct reach){address, at, size, root, extent, pc}, how);
    decision_bind(address, WH_REASON_ADDRESS, pc);
}

WH_EXPORT uint32_t __whence_symbolic_cold_seek(uint32_t address, uint64_t at, uint64_t size,
                                               uint64_t root, uint64_t extent, uint64_t value,
                                               uint64_t pc) {
    return if_varying(reach_load(&(struct reach){address, at, size, root, extent, pc}, value));
}

WH_EXPORT void __whence_symbolic_cold_put(uint32_t address, uint64_t at, uint64_t size,
                                          uint64_t root, uint64_t extent, uint32_t number,
                                          uint64_t value, uint64_t pc) {
    struct reach reach = {address, at, size, root, extent, pc};
    if (reach_store(&reach, number, value)) return;
    decision_bind(address, WH_REASON_ADDRESS, pc);
    memory_store(at, (unsigned)size, number);
}

static uint32_t equals(uint32_t a, unsigned width, uint64_t value) {
    return binary(WH_OP_EQ, 1, a, expression_constant(width, value));
}

/* The least number divided by -1. */
static uint32_t overflows(struct pair pair, unsigned width) {
    uint32_t least = equals(pair.a, width, 1ull << (width - 1));
    return binary(WH_OP_AND, 1, least, equals(pair.b, width, UINT64_MAX));
}

WH_EXPORT void __whence_symbolic_cold_check(uint32_t what, uint32_t a, uint64_t a_value, uint32_t b,
                                            uint64_t b_value, uint64_t pc) {
    unsigned op = what & 0xff, width = what >> WHENCE_MADE_WIDTH_SHIFT & 0xff;
    struct pair pair = operands(what, a, a_value, b, b_value);
    if (op >= WH_OP_SHL && op <= WH_OP_ASHR) {
        uint32_t most = expression_constant(width, width - 1);
        decision_check(expression_not(binary(WH_OP_ULE, 1, pair.b, most)), WH_CHECKED_SHIFT, pc);
        return;
    }
    decision_check(equals(pair.b, width, 0), WH_CHECKED_DIVISION, pc);
    if (op == WH_OP_SDIV || op == WH_OP_SREM)
        decision_check(overflows(pair, width), WH_CHECKED_DIVISION_OVERFLOW, pc);
}

/* The expression of a word, a constant if it is concrete. */
static uint32_t word(uint32_t number, uint64_t value) {
    return number ? number : expression_constant(64, value);
}

WH_EXPORT void __whence_symbolic_cold_step(uint32_t condition, uint32_t what, uint32_t a,
                                           uint64_t a_value, uint32_t b, uint64_t b_value,
                                           uint32_t c, uint64_t c_value, uint32_t d,
                                           uint64_t d_value, uint64_t pc) {
    if (!expression_varies(condition)) return;
    uint32_t slots[] = {word(a, a_value), word(b, b_value), word(c, c_value), word(d, d_value)};
    for (unsigned i = 0; i < WHENCE_SYMBOLIC_MOST_SLOTS; i++)
        if (!(what >> (WHENCE_STEP_KNOWN_SHIFT + i) & 1)) slots[i] = 0;
    decision_step(condition, what & WHENCE_STEP_POINT, slots, pc);
}

static uint32_t either(uint32_t a, uint32_t b) { return binary(WH_OP_OR, 1, a, b); }

/* Whether the bytes leave the block in which they begin on this path. */
WH_EXPORT void __whence_symbolic_cold_extent(uint32_t address, uint64_t at, uint32_t a,
                                             uint64_t a_value, uint32_t b, uint64_t b_value,
                                             uint64_t pc) {
    struct whence_bounds block = blocks_live_range(at);
    uint32_t size = binary(WH_OP_MUL, 64, word(a, a_value), word(b, b_value));
    if (!block.size) return;
    uint32_t whole = expression_constant(64, block.size),
             begin = expression_constant(64, block.begin);
    uint32_t offset = binary(WH_OP_SUB, 64, word(address, at), begin);
    uint32_t room = binary(WH_OP_SUB, 64, whole, offset);
    uint32_t leaves = either(binary(WH_OP_ULT, 1, whole, offset), binary(WH_OP_ULT, 1, room, size));
    uint32_t some = expression_not(equals(size, 64, 0));
    decision_check(binary(WH_OP_AND, 1, some, leaves), WH_CHECKED_EXTENT, pc);
}

/* ---- calls ---- */

WH_EXPORT void __whence_symbolic_cold_untaken(uint64_t function, uint64_t pc) {
    struct symbolic_passed *own = &__whence_symbolic;
    if (own->passed.callee != function) return;
    own->passed.callee = 0;
    for (unsigned i = 0; i < WHENCE_SYMBOLIC_MOST_ARGUMENTS; i++)
        decision_bind(own->arguments[i], WH_REASON_UNSEEN, pc);
}

WH_EXPORT void __whence_symbolic_cold_replace(uint64_t pc) {
    struct symbolic_passed *own = &__whence_symbolic;
    for (unsigned i = 0; i < WHENCE_SYMBOLIC_MOST_RESULTS; i++) {
        decision_bind(own->results[i], WH_REASON_UNSEEN, pc);
        own->results[i] = 0;
    }
}

WH_EXPORT uint32_t __whence_symbolic_cold_result(uint64_t function, uint32_t index, uint64_t pc) {
    struct symbolic_passed *own = &__whence_symbolic;
    uint32_t number = own->results[index];
    own->results[index] = 0;
    if (own->passed.returned == function) return number;
    decision_bind(number, WH_REASON_UNSEEN, pc);
    return 0;
}
