#include "derived.h"
#include "expressions.h"
#include "fold.h"

/* Products of operands up to this width are computed with twice as many bits. */
#define WIDEST_DOUBLED 32u

static uint32_t two(unsigned op, unsigned width, uint32_t a, uint32_t b) {
    return a && b ? expression_make(op, width, a, b, 0, 0) : 0;
}

static uint32_t test(unsigned op, uint32_t a, uint32_t b) { return two(op, 1, a, b); }
static uint32_t either(uint32_t a, uint32_t b) { return two(WH_OP_OR, 1, a, b); }
static uint32_t both(uint32_t a, uint32_t b) { return two(WH_OP_AND, 1, a, b); }

static uint32_t is_negative(uint32_t a, unsigned width) {
    return test(WH_OP_SLT, a, expression_constant(width, 0));
}

/* ---- sums and differences ---- */

/* The result has another sign than both of these. */
static uint32_t signs_differ(uint32_t result, uint32_t a, uint32_t b, unsigned width) {
    uint32_t one = two(WH_OP_XOR, width, result, a), other = two(WH_OP_XOR, width, result, b);
    return is_negative(two(WH_OP_AND, width, one, other), width);
}

static uint32_t sum_overflows(uint32_t a, uint32_t b, unsigned width, int is_signed) {
    uint32_t sum = two(WH_OP_ADD, width, a, b);
    return is_signed ? signs_differ(sum, a, b, width) : test(WH_OP_ULT, sum, a);
}

/* Of a - b: the operands have different signs, and a has another one than the result. */
static uint32_t difference_overflows(uint32_t a, uint32_t b, unsigned width, int is_signed) {
    if (!is_signed) return test(WH_OP_ULT, a, b);
    uint32_t result = two(WH_OP_SUB, width, a, b);
    uint32_t operands = two(WH_OP_XOR, width, a, b), changed = two(WH_OP_XOR, width, a, result);
    return is_negative(two(WH_OP_AND, width, operands, changed), width);
}

/* ---- products ---- */

static uint64_t least_of(unsigned width) { return 1ull << (width - 1); }

/* Whether a is not between two signed constants. */
static uint32_t is_outside(uint32_t a, unsigned width, int64_t least, int64_t most) {
    uint32_t below = test(WH_OP_SLT, a, expression_constant(width, (uint64_t)least));
    return either(below, test(WH_OP_SLT, expression_constant(width, (uint64_t)most), a));
}

/* Of a and a constant: the bounds of a are quotients. */
static uint32_t multiple_overflows(uint32_t a, uint64_t factor, unsigned width, int is_signed) {
    uint64_t mask = fold_mask(width);
    if (!factor) return expression_constant(1, 0);
    if (!is_signed) return test(WH_OP_ULT, expression_constant(width, mask / factor), a);
    int64_t most = (int64_t)(mask >> 1), least = -most - 1;
    int64_t times = (int64_t)(factor << (64 - width)) >> (64 - width);
    if (times == -1) return test(WH_OP_EQ, a, expression_constant(width, least_of(width)));
    return times > 0 ? is_outside(a, width, least / times, most / times)
                     : is_outside(a, width, most / times, least / times);
}

static uint32_t extended(uint32_t a, unsigned width, int is_signed) {
    return expression_make(is_signed ? WH_OP_SEXT : WH_OP_ZEXT, width, a, 0, 0, 0);
}

/* Whether a wide product is more than its lower bits. */
static uint32_t exceeds(uint32_t product, unsigned wide, unsigned width, int is_signed) {
    if (!product) return 0;
    uint32_t low = expression_extract(product, 0, width);
    return expression_not(test(WH_OP_EQ, product, extended(low, wide, is_signed)));
}

static uint32_t doubled_overflows(uint32_t a, uint32_t b, unsigned width, int is_signed) {
    unsigned wide = 2 * width;
    uint32_t one = extended(a, wide, is_signed), other = extended(b, wide, is_signed);
    return exceeds(two(WH_OP_MUL, wide, one, other), wide, width, is_signed);
}

static uint32_t part(uint32_t a, unsigned lowest) {
    return expression_make(WH_OP_ZEXT, 64, expression_extract(a, lowest, 32), 0, 0, 0);
}

static uint32_t is_nonzero(uint32_t a) {
    return expression_not(test(WH_OP_EQ, a, expression_constant(64, 0)));
}

/* Of halves of 32 bits: at most one of the upper ones is not 0, and what it adds fits. */
static uint32_t halves_carry(uint32_t a, uint32_t b) {
    uint32_t high_a = part(a, 32), high_b = part(b, 32), low_a = part(a, 0), low_b = part(b, 0);
    uint32_t cross =
        two(WH_OP_ADD, 64, two(WH_OP_MUL, 64, high_a, low_b), two(WH_OP_MUL, 64, low_a, high_b));
    uint32_t upper = two(WH_OP_SHL, 64, cross, expression_constant(64, 32));
    uint32_t carries = either(test(WH_OP_ULT, expression_constant(64, UINT32_MAX), cross),
                              sum_overflows(upper, two(WH_OP_MUL, 64, low_a, low_b), 64, 0));
    return either(both(is_nonzero(high_a), is_nonzero(high_b)), carries);
}

static uint32_t magnitude(uint32_t a, unsigned width) {
    uint32_t negative = is_negative(a, width);
    uint32_t opposite = two(WH_OP_SUB, width, expression_constant(width, 0), a);
    return negative && opposite ? expression_make(WH_OP_ITE, width, negative, opposite, a, 0) : 0;
}

/* The magnitude of a product is at most that of the largest number, or of the least one. */
static uint32_t magnitudes_overflow(uint32_t a, uint32_t b) {
    uint32_t negative = is_negative(two(WH_OP_XOR, 64, a, b), 64);
    uint32_t most = two(WH_OP_ADD, 64, expression_constant(64, least_of(64) - 1),
                        negative ? expression_make(WH_OP_ZEXT, 64, negative, 0, 0, 0) : 0);
    uint32_t one = magnitude(a, 64), other = magnitude(b, 64);
    return either(halves_carry(one, other), test(WH_OP_ULT, most, two(WH_OP_MUL, 64, one, other)));
}

static uint32_t long_overflows(uint32_t a, uint32_t b, unsigned width, int is_signed) {
    uint32_t one = extended(a, 64, is_signed), other = extended(b, 64, is_signed);
    uint32_t overflows = is_signed ? magnitudes_overflow(one, other) : halves_carry(one, other);
    if (width == 64) return overflows;
    return either(overflows, exceeds(two(WH_OP_MUL, 64, one, other), 64, width, is_signed));
}

static uint32_t product_overflows(uint32_t a, uint32_t b, unsigned width, int is_signed) {
    if (!expression_varies(b))
        return multiple_overflows(a, expression_at(b)->value, width, is_signed);
    if (!expression_varies(a))
        return multiple_overflows(b, expression_at(a)->value, width, is_signed);
    return width <= WIDEST_DOUBLED ? doubled_overflows(a, b, width, is_signed)
                                   : long_overflows(a, b, width, is_signed);
}

/* ---- others ---- */

static uint32_t swapped(uint32_t a, unsigned width) {
    uint32_t result = expression_extract(a, 0, 8);
    for (unsigned at = 8; result && at < width; at += 8)
        result = two(WH_OP_CONCAT, at + 8, result, expression_extract(a, at, 8));
    return result;
}

uint32_t derived_make(unsigned what, unsigned width, uint32_t a, uint32_t b) {
    if (!a || !b) return 0;
    switch (what) {
    case WH_DERIVED_ADD_OVERFLOWS: return sum_overflows(a, b, width, 1);
    case WH_DERIVED_SUB_OVERFLOWS: return difference_overflows(a, b, width, 1);
    case WH_DERIVED_MUL_OVERFLOWS: return product_overflows(a, b, width, 1);
    case WH_DERIVED_ADD_CARRIES: return sum_overflows(a, b, width, 0);
    case WH_DERIVED_SUB_CARRIES: return difference_overflows(a, b, width, 0);
    case WH_DERIVED_MUL_CARRIES: return product_overflows(a, b, width, 0);
    case WH_DERIVED_SWAPPED: return swapped(a, width);
    default: return magnitude(a, width);
    }
}
