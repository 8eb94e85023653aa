#include "fold.h"

/* ---- values ---- */

static int64_t signed_of(uint64_t value, unsigned width) {
    return width < 64 ? (int64_t)(value << (64 - width)) >> (64 - width) : (int64_t)value;
}

static uint64_t divided(uint64_t a, uint64_t b) { return b ? a / b : UINT64_MAX; }
static uint64_t left_over(uint64_t a, uint64_t b) { return b ? a % b : a; }

static uint64_t magnitude(int64_t a) { return a < 0 ? 0 - (uint64_t)a : (uint64_t)a; }

/* The quotient has a sign if one operand has; the remainder has that of the dividend. */
static uint64_t divided_signed(int64_t a, int64_t b, unsigned width) {
    uint64_t mask = fold_mask(width);
    uint64_t quotient = divided(magnitude(a), magnitude(b)) & mask;
    return (a < 0) != (b < 0) ? 0 - quotient : quotient;
}

static uint64_t left_over_signed(int64_t a, int64_t b) {
    uint64_t rest = left_over(magnitude(a), magnitude(b));
    return a < 0 ? 0 - rest : rest;
}

static uint64_t shifted(unsigned op, uint64_t a, uint64_t b, unsigned width) {
    uint64_t far = op == WH_OP_ASHR && signed_of(a, width) < 0 ? UINT64_MAX : 0;
    if (b >= width) return far;
    if (op == WH_OP_SHL) return a << b;
    return op == WH_OP_LSHR ? a >> b : (uint64_t)(signed_of(a, width) >> b);
}

/* `width`: that of the operands. */
static uint64_t computed(const struct expression *of, uint64_t a, uint64_t b, unsigned width) {
    switch (of->op) {
    case WH_OP_ADD: return a + b;
    case WH_OP_SUB: return a - b;
    case WH_OP_MUL: return a * b;
    case WH_OP_UDIV: return divided(a, b);
    case WH_OP_UREM: return left_over(a, b);
    case WH_OP_SDIV: return divided_signed(signed_of(a, width), signed_of(b, width), width);
    case WH_OP_SREM: return left_over_signed(signed_of(a, width), signed_of(b, width));
    case WH_OP_SHL:
    case WH_OP_LSHR:
    case WH_OP_ASHR: return shifted(of->op, a, b, width);
    case WH_OP_AND: return a & b;
    case WH_OP_OR: return a | b;
    case WH_OP_XOR: return a ^ b;
    case WH_OP_NOT: return ~a;
    case WH_OP_EQ: return a == b;
    case WH_OP_ULT: return a < b;
    case WH_OP_ULE: return a <= b;
    case WH_OP_SLT: return signed_of(a, width) < signed_of(b, width);
    case WH_OP_SLE: return signed_of(a, width) <= signed_of(b, width);
    case WH_OP_EXTRACT: return a >> of->parameter;
    case WH_OP_ZEXT: return a;
    case WH_OP_SEXT: return (uint64_t)signed_of(a, width);
    default: return 0;
    }
}

uint64_t fold_value(const struct expression *of) {
    const struct expression *a = expression_at(of->a), *b = expression_at(of->b);
    uint64_t value;
    if (of->op == WH_OP_ITE)
        value = a->value ? b->value : expression_at(of->c)->value;
    else if (of->op == WH_OP_CONCAT)
        value = a->value << b->width | b->value;
    else
        value = computed(of, a->value, b->value, a->width);
    return value & fold_mask(of->width);
}

/* ---- simpler expressions ---- */

static int is_constant(uint32_t number, uint64_t value) {
    return number && !expression_varies(number) && expression_at(number)->value == value;
}

static uint32_t simpler_part(unsigned width, uint32_t a, unsigned lowest) {
    const struct expression *of = expression_at(a);
    if (!lowest && width == of->width) return a;
    unsigned inner = expression_at(of->a)->width;
    switch (of->op) {
    case WH_OP_EXTRACT: return expression_extract(of->a, lowest + of->parameter, width);
    case WH_OP_CONCAT: {
        unsigned low = expression_at(of->b)->width;
        if (lowest >= low) return expression_extract(of->a, lowest - low, width);
        return lowest + width <= low ? expression_extract(of->b, lowest, width) : 0;
    }
    case WH_OP_ZEXT:
        if (lowest >= inner) return expression_constant(width, 0);
        /* fall through */
    case WH_OP_SEXT: return lowest + width <= inner ? expression_extract(of->a, lowest, width) : 0;
    default: return 0;
    }
}

/* A comparison with 0 or 1 of what was 1 bit wide is that bit, or its opposite. */
static uint32_t simpler_equality(uint32_t a, uint32_t b) {
    if (a == b) return expression_constant(1, 1);
    if (expression_varies(b)) {
        uint32_t other = a;
        a = b, b = other;
    }
    if (expression_varies(b)) return 0;
    const struct expression *of = expression_at(a);
    uint32_t bit = of->op == WH_OP_ZEXT ? of->a : a;
    if (expression_at(bit)->width != 1) return 0;
    uint64_t value = expression_at(b)->value;
    if (value > 1) return expression_constant(1, 0);
    return value ? bit : expression_not(bit);
}

uint32_t fold_simpler(unsigned op, unsigned width, uint32_t a, uint32_t b, unsigned parameter) {
    const struct expression *of = expression_at(a);
    switch (op) {
    case WH_OP_EXTRACT: return simpler_part(width, a, parameter);
    case WH_OP_EQ: return simpler_equality(a, b);
    case WH_OP_NOT: return of->op == WH_OP_NOT ? of->a : 0;
    case WH_OP_ZEXT:
        if (width == of->width) return a;
        return of->op == WH_OP_ZEXT ? expression_make(WH_OP_ZEXT, width, of->a, 0, 0, 0) : 0;
    case WH_OP_SEXT: return width == of->width ? a : 0;
    case WH_OP_ADD:
    case WH_OP_OR:
    case WH_OP_XOR:
        if (is_constant(a, 0)) return b;
        /* fall through */
    case WH_OP_SUB:
    case WH_OP_SHL:
    case WH_OP_LSHR:
    case WH_OP_ASHR: return is_constant(b, 0) ? a : 0;
    case WH_OP_AND:
        if (is_constant(a, 0) || is_constant(b, fold_mask(width))) return a;
        return is_constant(b, 0) || is_constant(a, fold_mask(width)) ? b : 0;
    case WH_OP_MUL:
        if (is_constant(a, 0) || is_constant(b, 1)) return a;
        return is_constant(b, 0) || is_constant(a, 1) ? b : 0;
    default: return 0;
    }
}
