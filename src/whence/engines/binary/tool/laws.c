/* What is undefined of the result of an operator.
 *
 * Copyright (C) the authors of whence.
 *
 * This program is free software; you can redistribute it and/or modify it under the terms of the
 * GNU General Public License as published by the Free Software Foundation; either version 2 of the
 * License, or (at your option) any later version. It is a program of its own, linked with
 * Valgrind's core and no part of whence's library; the file LICENSE beside it says more.
 *
 * After Seward and Nethercote, "Using Valgrind to detect undefined value errors with
 * bit-precision" (2005), with exact laws for sums, differences and comparisons: their least and
 * greatest values show which bits depend on undefined ones. An operator without a law of its own
 * gives a result that is undefined as a whole if anything is of an operand.
 */
#include "tool.h"

IRType type_of_bits(IRType type) {
    switch (type) {
    case Ity_F16: return Ity_I16;
    case Ity_F32:
    case Ity_D32: return Ity_I32;
    case Ity_F64:
    case Ity_D64: return Ity_I64;
    case Ity_F128:
    case Ity_D128: return Ity_I128;
    default: return type;
    }
}

IRExpr *no_bits(IRType type) {
    switch (type) {
    case Ity_I1: return IRExpr_Const(IRConst_U1(False));
    case Ity_I8: return byte_of(0);
    case Ity_I16: return IRExpr_Const(IRConst_U16(0));
    case Ity_I32: return IRExpr_Const(IRConst_U32(0));
    case Ity_I64: return word(0);
    case Ity_V128: return IRExpr_Const(IRConst_V128(0));
    case Ity_V256: return IRExpr_Const(IRConst_V256(0));
    default: return NULL; /* I128 has no constants */
    }
}

Bool is_no_bits(const IRExpr *bits) {
    if (!bits) return True;
    if (bits->tag != Iex_Const) return False;
    const IRConst *constant = bits->Iex.Const.con;
    switch (constant->tag) {
    case Ico_U1: return !constant->Ico.U1;
    case Ico_U8: return !constant->Ico.U8;
    case Ico_U16: return !constant->Ico.U16;
    case Ico_U32: return !constant->Ico.U32;
    case Ico_U64: return !constant->Ico.U64;
    case Ico_V128: return !constant->Ico.V128;
    case Ico_V256: return !constant->Ico.V256;
    default: return False;
    }
}

static IRType type_in(const struct block *block, const IRExpr *bits) {
    return typeOfIRExpr(block->out->tyenv, bits);
}

/* ---- of one type to another ---- */

/* A bit that is set where some bit is. */
static IRExpr *any(struct block *block, IRExpr *bits) {
    IRType type = type_in(block, bits);
    switch (type) {
    case Ity_I1: return bits;
    case Ity_I8: return unop(block, Ity_I1, Iop_CmpNEZ8, bits);
    case Ity_I16: return unop(block, Ity_I1, Iop_CmpNEZ16, bits);
    case Ity_I32: return unop(block, Ity_I1, Iop_CmpNEZ32, bits);
    default: return unop(block, Ity_I1, Iop_CmpNEZ64, some(block, bits));
    }
}

IRExpr *some(struct block *block, IRExpr *bits) {
    if (is_no_bits(bits)) return word(0);
    switch (type_in(block, bits)) {
    case Ity_I1: return unop(block, Ity_I64, Iop_1Uto64, bits);
    case Ity_I8: return unop(block, Ity_I64, Iop_8Uto64, bits);
    case Ity_I16: return unop(block, Ity_I64, Iop_16Uto64, bits);
    case Ity_I32: return unop(block, Ity_I64, Iop_32Uto64, bits);
    case Ity_I64: return bits;
    case Ity_I128:
        return binop(block, Ity_I64, Iop_Or64, unop(block, Ity_I64, Iop_128to64, bits),
                     unop(block, Ity_I64, Iop_128HIto64, bits));
    case Ity_V128:
        return binop(block, Ity_I64, Iop_Or64, unop(block, Ity_I64, Iop_V128to64, bits),
                     unop(block, Ity_I64, Iop_V128HIto64, bits));
    case Ity_V256: {
        IRExpr *low = unop(block, Ity_V128, Iop_V256toV128_0, bits);
        IRExpr *high = unop(block, Ity_V128, Iop_V256toV128_1, bits);
        return some(block, binop(block, Ity_V128, Iop_OrV128, low, high));
    }
    default: tl_assert(0); return NULL;
    }
}

IRExpr *spread(struct block *block, IRType to, IRExpr *bits) {
    to = type_of_bits(to);
    if (is_no_bits(bits)) return no_bits(to);
    if (to == Ity_I64 && type_in(block, bits) == Ity_I64)
        return unop(block, Ity_I64, Iop_CmpwNEZ64, bits);
    IRExpr *bit = any(block, bits);
    switch (to) {
    case Ity_I1: return bit;
    case Ity_I8: return unop(block, to, Iop_1Sto8, bit);
    case Ity_I16: return unop(block, to, Iop_1Sto16, bit);
    case Ity_I32: return unop(block, to, Iop_1Sto32, bit);
    case Ity_I64: return unop(block, to, Iop_1Sto64, bit);
    default: break;
    }
    IRExpr *all = unop(block, Ity_I64, Iop_1Sto64, bit);
    if (to == Ity_I128) return binop(block, to, Iop_64HLto128, all, all);
    IRExpr *vector = binop(block, Ity_V128, Iop_64HLtoV128, all, all);
    if (to == Ity_V128) return vector;
    tl_assert(to == Ity_V256);
    return binop(block, to, Iop_V128HLtoV256, vector, vector);
}

static IROp or_of(IRType type) {
    switch (type) {
    case Ity_I1: return Iop_Or1;
    case Ity_I8: return Iop_Or8;
    case Ity_I16: return Iop_Or16;
    case Ity_I32: return Iop_Or32;
    case Ity_I64: return Iop_Or64;
    case Ity_V128: return Iop_OrV128;
    case Ity_V256: return Iop_OrV256;
    default: tl_assert(0); return Iop_INVALID;
    }
}

IRExpr *either(struct block *block, IRType type, IRExpr *a, IRExpr *b) {
    if (is_no_bits(a)) return b ? b : no_bits(type);
    if (is_no_bits(b)) return a;
    if (type == Ity_I128) {
        IRExpr *low = binop(block, Ity_I64, Iop_Or64, unop(block, Ity_I64, Iop_128to64, a),
                            unop(block, Ity_I64, Iop_128to64, b));
        IRExpr *high = binop(block, Ity_I64, Iop_Or64, unop(block, Ity_I64, Iop_128HIto64, a),
                             unop(block, Ity_I64, Iop_128HIto64, b));
        return binop(block, type, Iop_64HLto128, high, low);
    }
    return binop(block, type, or_of(type), a, b);
}

/* ---- sums, differences, comparisons ---- */

struct operators {
    IRType type;
    IROp and, or, xor, not, add, sub, left;
};

static struct operators operators_of(IRType type) {
    switch (type) {
    case Ity_I8:
        return (struct operators){type,     Iop_And8, Iop_Or8,  Iop_Xor8,
                                  Iop_Not8, Iop_Add8, Iop_Sub8, Iop_Left8};
    case Ity_I16:
        return (struct operators){type,      Iop_And16, Iop_Or16,  Iop_Xor16,
                                  Iop_Not16, Iop_Add16, Iop_Sub16, Iop_Left16};
    case Ity_I32:
        return (struct operators){type,      Iop_And32, Iop_Or32,  Iop_Xor32,
                                  Iop_Not32, Iop_Add32, Iop_Sub32, Iop_Left32};
    case Ity_V128:
        return (struct operators){type,        Iop_AndV128, Iop_OrV128,  Iop_XorV128,
                                  Iop_NotV128, Iop_INVALID, Iop_INVALID, Iop_INVALID};
    case Ity_V256:
        return (struct operators){type,        Iop_AndV256, Iop_OrV256,  Iop_XorV256,
                                  Iop_NotV256, Iop_INVALID, Iop_INVALID, Iop_INVALID};
    default:
        return (struct operators){Ity_I64,   Iop_And64, Iop_Or64,  Iop_Xor64,
                                  Iop_Not64, Iop_Add64, Iop_Sub64, Iop_Left64};
    }
}

/* The value with all undefined bits 0, and with all of them 1. */
static IRExpr *least(struct block *block, struct operators o, IRExpr *a, IRExpr *va) {
    if (is_no_bits(va)) return a;
    return binop(block, o.type, o.and, a, unop(block, o.type, o.not, va));
}
static IRExpr *greatest(struct block *block, struct operators o, IRExpr *a, IRExpr *va) {
    return is_no_bits(va) ? a : binop(block, o.type, o.or, a, va);
}

/* a + b lies between the sums of the least and the greatest ones; a - b likewise. */
static IRExpr *of_sum(struct block *block, IRType type, Bool minus, IRExpr *a, IRExpr *b,
                      IRExpr *va, IRExpr *vb) {
    struct operators o = operators_of(type);
    IRExpr *a0 = least(block, o, a, va), *a1 = greatest(block, o, a, va);
    IRExpr *b0 = least(block, o, b, vb), *b1 = greatest(block, o, b, vb);
    IRExpr *low = binop(block, type, minus ? o.sub : o.add, a0, minus ? b1 : b0);
    IRExpr *high = binop(block, type, minus ? o.sub : o.add, a1, minus ? b0 : b1);
    return either(block, type, either(block, type, va, vb), binop(block, type, o.xor, low, high));
}

/* Defined where a defined bit decides: 0 for and, 1 for or. */
static IRExpr *of_bitwise(struct block *block, IRType type, Bool and, IRExpr *a, IRExpr *b,
                          IRExpr *va, IRExpr *vb) {
    struct operators o = operators_of(type);
    IRExpr *both = either(block, type, va, vb), *needed[2];
    IRExpr *values[2] = {a, b}, *bits[2] = {va, vb};
    for (Int i = 0; i < 2; i++) {
        IRExpr *value = and ? values[i] : unop(block, type, o.not, values[i]);
        needed[i] = either(block, type, value, bits[i]);
    }
    /* Undefined where either is, and neither is defined with the deciding value. */
    IRExpr *open = binop(block, type, o.and, needed[0], needed[1]);
    return binop(block, type, o.and, both, open);
}

/* Equal or not is known where a defined bit differs. */
static IRExpr *of_equality(struct block *block, IRType type, IRExpr *a, IRExpr *b, IRExpr *va,
                           IRExpr *vb) {
    struct operators o = operators_of(type);
    IRExpr *both = either(block, type, va, vb);
    IRExpr *differ =
        binop(block, type, o.and, binop(block, type, o.xor, a, b), unop(block, type, o.not, both));
    IRExpr *unknown = any(block, both), *known = any(block, differ);
    IRExpr *not_known = unop(block, Ity_I1, Iop_Not1, known);
    return binop(block, Ity_I1, Iop_And1, unknown, not_known);
}

/* Whether a is less is known where the ranges do not meet. */
static IRExpr *of_order(struct block *block, IRType type, IROp op, Bool is_signed, IRExpr *a,
                        IRExpr *b, IRExpr *va, IRExpr *vb) {
    struct operators o = operators_of(type);
    IRExpr *ends[4] = {least(block, o, a, va), greatest(block, o, a, va), least(block, o, b, vb),
                       greatest(block, o, b, vb)};
    if (is_signed) { /* an undefined sign makes the least value negative */
        IRExpr *sign = type == Ity_I32 ? IRExpr_Const(IRConst_U32(1u << 31)) : word(1ull << 63);
        for (Int i = 0; i < 2; i++) {
            IRExpr *bits = i ? vb : va;
            if (is_no_bits(bits)) continue;
            IRExpr *open = binop(block, type, o.and, bits, sign);
            ends[2 * i] = binop(block, type, o.xor, ends[2 * i], open);
            ends[2 * i + 1] = binop(block, type, o.xor, ends[2 * i + 1], open);
        }
    }
    IRExpr *if_low = unop(block, Ity_I32, Iop_1Uto32, binop(block, Ity_I1, op, ends[0], ends[3]));
    IRExpr *if_high = unop(block, Ity_I32, Iop_1Uto32, binop(block, Ity_I1, op, ends[1], ends[2]));
    return binop(block, Ity_I1, Iop_CmpNE32, if_low, if_high);
}

/* ---- lanes ---- */

static IROp spread_lanes(IRType type, Int lane) {
    switch (type) {
    case Ity_I64:
        return lane == 1   ? Iop_CmpNEZ8x8
               : lane == 2 ? Iop_CmpNEZ16x4
               : lane == 4 ? Iop_CmpNEZ32x2
                           : Iop_CmpwNEZ64;
    case Ity_V128:
        return lane == 1   ? Iop_CmpNEZ8x16
               : lane == 2 ? Iop_CmpNEZ16x8
               : lane == 4 ? Iop_CmpNEZ32x4
               : lane == 8 ? Iop_CmpNEZ64x2
                           : Iop_CmpNEZ128x1;
    case Ity_V256:
        return lane == 1   ? Iop_CmpNEZ8x32
               : lane == 2 ? Iop_CmpNEZ16x16
               : lane == 4 ? Iop_CmpNEZ32x8
                           : Iop_CmpNEZ64x4;
    default: return Iop_INVALID;
    }
}

static IRExpr *by_lanes(struct block *block, IRType type, Int lane, IRExpr *bits) {
    IROp op = spread_lanes(type, lane);
    if (is_no_bits(bits)) return no_bits(type);
    return op == Iop_INVALID || lane > 8 ? spread(block, type, bits) : unop(block, type, op, bits);
}

/* The bytes of the lanes of an operator on vectors that works on each lane by itself; 0: none. */
static Int lane_of(IROp op) {
    switch (op) {
        /* clang-format off */
#define ALL(name, a, b, c) case Iop_##name##a: case Iop_##name##b: case Iop_##name##c:
    ALL(Add, 8x8, 8x16, 8x32) ALL(Sub, 8x8, 8x16, 8x32) ALL(CmpEQ, 8x8, 8x16, 8x32)
    ALL(CmpGT, 8Sx8, 8Sx16, 8Sx32) ALL(QAdd, 8Ux8, 8Ux16, 8Ux32) ALL(QAdd, 8Sx8, 8Sx16, 8Sx32)
    ALL(QSub, 8Ux8, 8Ux16, 8Ux32) ALL(QSub, 8Sx8, 8Sx16, 8Sx32) ALL(Avg, 8Ux8, 8Ux16, 8Ux32)
    ALL(Max, 8Ux8, 8Ux16, 8Ux32) ALL(Min, 8Ux8, 8Ux16, 8Ux32) ALL(Max, 8Sx8, 8Sx16, 8Sx32)
    ALL(Min, 8Sx8, 8Sx16, 8Sx32)
    case Iop_Abs8x8: case Iop_Abs8x16: case Iop_CmpGT8Ux16: case Iop_Cnt8x16: return 1;
    ALL(Add, 16x4, 16x8, 16x16) ALL(Sub, 16x4, 16x8, 16x16) ALL(CmpEQ, 16x4, 16x8, 16x16)
    ALL(CmpGT, 16Sx4, 16Sx8, 16Sx16) ALL(QAdd, 16Ux4, 16Ux8, 16Ux16)
    ALL(QAdd, 16Sx4, 16Sx8, 16Sx16) ALL(QSub, 16Ux4, 16Ux8, 16Ux16)
    ALL(QSub, 16Sx4, 16Sx8, 16Sx16) ALL(Avg, 16Ux4, 16Ux8, 16Ux16) ALL(Mul, 16x4, 16x8, 16x16)
    ALL(MulHi, 16Ux4, 16Ux8, 16Ux16) ALL(MulHi, 16Sx4, 16Sx8, 16Sx16)
    ALL(Max, 16Sx4, 16Sx8, 16Sx16) ALL(Min, 16Sx4, 16Sx8, 16Sx16)
    ALL(Max, 16Ux4, 16Ux8, 16Ux16) ALL(Min, 16Ux4, 16Ux8, 16Ux16)
    case Iop_Abs16x4: case Iop_Abs16x8: case Iop_CmpGT16Ux8: return 2;
    ALL(Add, 32x2, 32x4, 32x8) ALL(Sub, 32x2, 32x4, 32x8) ALL(CmpEQ, 32x2, 32x4, 32x8)
    ALL(CmpGT, 32Sx2, 32Sx4, 32Sx8) ALL(Mul, 32x2, 32x4, 32x8) ALL(Max, 32Sx2, 32Sx4, 32Sx8)
    ALL(Min, 32Sx2, 32Sx4, 32Sx8) ALL(Max, 32Ux2, 32Ux4, 32Ux8) ALL(Min, 32Ux2, 32Ux4, 32Ux8)
    case Iop_Abs32x2: case Iop_Abs32x4: case Iop_CmpGT32Ux4:
    case Iop_Add32Fx4: case Iop_Sub32Fx4: case Iop_Mul32Fx4: case Iop_Div32Fx4:
    case Iop_Add32Fx8: case Iop_Sub32Fx8: case Iop_Mul32Fx8: case Iop_Div32Fx8:
    case Iop_Max32Fx4: case Iop_Min32Fx4: case Iop_Max32Fx8: case Iop_Min32Fx8:
    case Iop_CmpEQ32Fx4: case Iop_CmpLT32Fx4: case Iop_CmpLE32Fx4: case Iop_CmpUN32Fx4:
    case Iop_Sqrt32Fx4: case Iop_Sqrt32Fx8: case Iop_RSqrtEst32Fx4: case Iop_RecipEst32Fx4:
    case Iop_RSqrtEst32Fx8: case Iop_RecipEst32Fx8: case Iop_I32StoF32x4: case Iop_F32toI32Sx4:
    case Iop_I32StoF32x8: case Iop_F32toI32Sx8: case Iop_I32StoF32x4_DEP: return 4;
    case Iop_Add64x2: case Iop_Sub64x2: case Iop_CmpEQ64x2: case Iop_CmpGT64Sx2:
    case Iop_Add64x4: case Iop_Sub64x4: case Iop_CmpEQ64x4: case Iop_CmpGT64Sx4:
    case Iop_Add64Fx2: case Iop_Sub64Fx2: case Iop_Mul64Fx2: case Iop_Div64Fx2:
    case Iop_Add64Fx4: case Iop_Sub64Fx4: case Iop_Mul64Fx4: case Iop_Div64Fx4:
    case Iop_Max64Fx2: case Iop_Min64Fx2: case Iop_Max64Fx4: case Iop_Min64Fx4:
    case Iop_CmpEQ64Fx2: case Iop_CmpLT64Fx2: case Iop_CmpLE64Fx2: case Iop_CmpUN64Fx2:
    case Iop_Sqrt64Fx2: case Iop_Sqrt64Fx4: return 8;
#undef ALL
        /* clang-format on */
        default : return 0;
    }
}

/* The same of operators on the lowest lane, which leave the others of the first operand. */
static Int low_lane_of(IROp op) {
    switch (op) {
    case Iop_Add32F0x4:
    case Iop_Sub32F0x4:
    case Iop_Mul32F0x4:
    case Iop_Div32F0x4:
    case Iop_Max32F0x4:
    case Iop_Min32F0x4:
    case Iop_CmpEQ32F0x4:
    case Iop_CmpLT32F0x4:
    case Iop_CmpLE32F0x4:
    case Iop_CmpUN32F0x4:
    case Iop_RecipEst32F0x4:
    case Iop_Sqrt32F0x4:
    case Iop_RSqrtEst32F0x4: return 4;
    case Iop_Add64F0x2:
    case Iop_Sub64F0x2:
    case Iop_Mul64F0x2:
    case Iop_Div64F0x2:
    case Iop_Max64F0x2:
    case Iop_Min64F0x2:
    case Iop_CmpEQ64F0x2:
    case Iop_CmpLT64F0x2:
    case Iop_CmpLE64F0x2:
    case Iop_CmpUN64F0x2:
    case Iop_Sqrt64F0x2: return 8;
    default: return 0;
    }
}

static IRExpr *of_low_lane(struct block *block, Int lane, IRExpr *va, IRExpr *vb) {
    IRExpr *both = either(block, Ity_V128, va, vb);
    if (is_no_bits(both)) return both;
    if (lane == 8) {
        IRExpr *low = spread(block, Ity_I64, unop(block, Ity_I64, Iop_V128to64, both));
        return binop(block, Ity_V128, Iop_SetV128lo64, va, low);
    }
    IRExpr *low = spread(block, Ity_I32, unop(block, Ity_I32, Iop_V128to32, both));
    return binop(block, Ity_V128, Iop_SetV128lo32, va, low);
}

/* The integer form of an operator that only moves bits, which moves undefined ones as well; invalid
 * for any other operator. */
static IROp mover(IROp op) {
    switch (op) {
    case Iop_8Uto16:
    case Iop_8Uto32:
    case Iop_8Uto64:
    case Iop_16Uto32:
    case Iop_16Uto64:
    case Iop_32Uto64:
    case Iop_8Sto16:
    case Iop_8Sto32:
    case Iop_8Sto64:
    case Iop_16Sto32:
    case Iop_16Sto64:
    case Iop_32Sto64:
    case Iop_64to8:
    case Iop_32to8:
    case Iop_64to16:
    case Iop_16to8:
    case Iop_16HIto8:
    case Iop_8HLto16:
    case Iop_32to16:
    case Iop_32HIto16:
    case Iop_16HLto32:
    case Iop_64to32:
    case Iop_64HIto32:
    case Iop_32HLto64:
    case Iop_128to64:
    case Iop_128HIto64:
    case Iop_64HLto128:
    case Iop_32to1:
    case Iop_64to1:
    case Iop_1Uto8:
    case Iop_1Uto32:
    case Iop_1Uto64:
    case Iop_1Sto8:
    case Iop_1Sto16:
    case Iop_1Sto32:
    case Iop_1Sto64:
    case Iop_V128to64:
    case Iop_V128HIto64:
    case Iop_64HLtoV128:
    case Iop_64UtoV128:
    case Iop_SetV128lo64:
    case Iop_ZeroHI64ofV128:
    case Iop_ZeroHI96ofV128:
    case Iop_ZeroHI112ofV128:
    case Iop_ZeroHI120ofV128:
    case Iop_32UtoV128:
    case Iop_V128to32:
    case Iop_SetV128lo32:
    case Iop_V256to64_0:
    case Iop_V256to64_1:
    case Iop_V256to64_2:
    case Iop_V256to64_3:
    case Iop_V256toV128_0:
    case Iop_V256toV128_1:
    case Iop_V128HLtoV256:
    case Iop_InterleaveHI8x8:
    case Iop_InterleaveHI16x4:
    case Iop_InterleaveHI32x2:
    case Iop_InterleaveLO8x8:
    case Iop_InterleaveLO16x4:
    case Iop_InterleaveLO32x2:
    case Iop_InterleaveHI8x16:
    case Iop_InterleaveHI16x8:
    case Iop_InterleaveHI32x4:
    case Iop_InterleaveHI64x2:
    case Iop_InterleaveLO8x16:
    case Iop_InterleaveLO16x8:
    case Iop_InterleaveLO32x4:
    case Iop_InterleaveLO64x2:
    case Iop_InterleaveOddLanes8x16:
    case Iop_InterleaveEvenLanes8x16:
    case Iop_InterleaveOddLanes16x8:
    case Iop_InterleaveEvenLanes16x8:
    case Iop_InterleaveOddLanes32x4:
    case Iop_InterleaveEvenLanes32x4:
    case Iop_NarrowBin16to8x8:
    case Iop_NarrowBin32to16x4:
    case Iop_NarrowBin16to8x16:
    case Iop_NarrowBin32to16x8:
    case Iop_NarrowBin64to32x4:
    case Iop_Dup8x16:
    case Iop_Dup16x8:
    case Iop_Dup32x4:
    case Iop_GetMSBs8x8:
    case Iop_GetMSBs8x16:
    case Iop_Widen8Uto16x8:
    case Iop_Widen16Uto32x4:
    case Iop_Widen32Uto64x2:
    case Iop_Widen8Sto16x8:
    case Iop_Widen16Sto32x4:
    case Iop_Widen32Sto64x2:
    case Iop_Reverse8sIn64_x1: return op;
    default: return Iop_INVALID;
    }
}

/* Operators that leave the bits as they are. */
static Bool keeps_bits(IROp op) {
    switch (op) {
    case Iop_Not1:
    case Iop_Not8:
    case Iop_Not16:
    case Iop_Not32:
    case Iop_Not64:
    case Iop_NotV128:
    case Iop_NotV256:
    case Iop_ReinterpF64asI64:
    case Iop_ReinterpI64asF64:
    case Iop_ReinterpF32asI32:
    case Iop_ReinterpI32asF32:
    case Iop_NegF64:
    case Iop_NegF32:
    case Iop_AbsF64:
    case Iop_AbsF32:
    case Iop_Neg32Fx4:
    case Iop_Neg64Fx2:
    case Iop_Abs32Fx4:
    case Iop_Abs64Fx2: return True;
    default: return False;
    }
}

/* Shifts by a number for all lanes: the bits of the lanes, 0 for other operators. */
static Bool is_shift_of_lanes(IROp op) {
    switch (op) {
    case Iop_ShlN8x8:
    case Iop_ShlN16x4:
    case Iop_ShlN32x2:
    case Iop_ShrN8x8:
    case Iop_ShrN16x4:
    case Iop_ShrN32x2:
    case Iop_SarN8x8:
    case Iop_SarN16x4:
    case Iop_SarN32x2:
    case Iop_ShlN8x16:
    case Iop_ShlN16x8:
    case Iop_ShlN32x4:
    case Iop_ShlN64x2:
    case Iop_ShrN8x16:
    case Iop_ShrN16x8:
    case Iop_ShrN32x4:
    case Iop_ShrN64x2:
    case Iop_SarN8x16:
    case Iop_SarN16x8:
    case Iop_SarN32x4:
    case Iop_SarN64x2:
    case Iop_ShlN16x16:
    case Iop_ShlN32x8:
    case Iop_ShlN64x4:
    case Iop_ShrN16x16:
    case Iop_ShrN32x8:
    case Iop_ShrN64x4:
    case Iop_SarN16x16:
    case Iop_SarN32x8:
    case Iop_ShlV128:
    case Iop_ShrV128:
    case Iop_GetElem8x8:
    case Iop_GetElem16x4:
    case Iop_GetElem32x2:
    case Iop_GetElem8x16:
    case Iop_GetElem16x8:
    case Iop_GetElem32x4:
    case Iop_GetElem64x2:
    case Iop_Shl8:
    case Iop_Shl16:
    case Iop_Shl32:
    case Iop_Shl64:
    case Iop_Shr8:
    case Iop_Shr16:
    case Iop_Shr32:
    case Iop_Shr64:
    case Iop_Sar8:
    case Iop_Sar16:
    case Iop_Sar32:
    case Iop_Sar64: return True;
    default: return False;
    }
}

/* The bytes of the result's lanes of operators that narrow two vectors with saturation. */
static Int narrowed_lane(IROp op, IROp *by) {
    switch (op) {
    case Iop_QNarrowBin16Sto8Ux8:
    case Iop_QNarrowBin16Sto8Sx8: *by = Iop_NarrowBin16to8x8; return 2;
    case Iop_QNarrowBin32Sto16Sx4: *by = Iop_NarrowBin32to16x4; return 4;
    case Iop_QNarrowBin16Sto8Ux16:
    case Iop_QNarrowBin16Sto8Sx16:
    case Iop_QNarrowBin16Uto8Ux16: *by = Iop_NarrowBin16to8x16; return 2;
    case Iop_QNarrowBin32Sto16Ux8:
    case Iop_QNarrowBin32Sto16Sx8:
    case Iop_QNarrowBin32Uto16Ux8: *by = Iop_NarrowBin32to16x8; return 4;
    default: return 0;
    }
}

/* ---- counts of zeros ---- */

/* The number of zeros below the lowest 1 is known if no bit below a defined 1 is undefined. */
static ULong zeros_below(ULong value, ULong bits) {
    ULong certain = value & ~bits;
    ULong below = certain ? (certain & -certain) - 1 : ~0ull;
    return bits & below ? ~0ull : 0;
}
static ULong zeros_above(ULong value, ULong bits) {
    ULong certain = value & ~bits;
    UInt length = 0;
    for (; certain; certain >>= 1) length++;
    return length < 64 && bits >> length ? ~0ull : 0;
}

static IRExpr *of_zeros(struct block *block, Bool above, IRType type, IRExpr *a, IRExpr *va) {
    if (type == Ity_I32) {
        a = unop(block, Ity_I64, Iop_32Uto64, a);
        va = unop(block, Ity_I64, Iop_32Uto64, va);
    }
    IRExpr *call = above ? mkIRExprCCall(Ity_I64, 0, "zeros_above",
                                         VG_(fnptr_to_fnentry)(&zeros_above), mkIRExprVec_2(a, va))
                         : mkIRExprCCall(Ity_I64, 0, "zeros_below",
                                         VG_(fnptr_to_fnentry)(&zeros_below), mkIRExprVec_2(a, va));
    return spread(block, type, put(block, Ity_I64, call));
}

/* ---- products ---- */

static UInt low_zeros(ULong value) {
    UInt count = 0;
    for (; count < 64 && !(value >> count & 1); count++) {
    }
    return count;
}

/* Of a product the bits are undefined from the first one on that an undefined bit reaches: it is
 * multiplied by a number whose lowest bits are 0. */
static ULong bits_of_product(ULong a, ULong b, ULong va, ULong vb) {
    UInt by_a = va ? low_zeros(va) + low_zeros(b | vb) : 64;
    UInt by_b = vb ? low_zeros(vb) + low_zeros(a | va) : 64;
    UInt first = by_a < by_b ? by_a : by_b;
    return first < 64 ? ~0ull << first : 0;
}

static IRExpr *widened(struct block *block, IRType type, IRExpr *value) {
    if (type == Ity_I64) return value;
    IROp op = type == Ity_I32 ? Iop_32Uto64 : type == Ity_I16 ? Iop_16Uto64 : Iop_8Uto64;
    return unop(block, Ity_I64, op, value);
}

static IRExpr *of_product(struct block *block, IRType type, IRExpr *a, IRExpr *b, IRExpr *va,
                          IRExpr *vb) {
    IRExpr *arguments[4] = {a, b, va, vb};
    for (Int i = 0; i < 4; i++) arguments[i] = widened(block, type, arguments[i]);
    IRExpr *call =
        mkIRExprCCall(Ity_I64, 0, "bits_of_product", VG_(fnptr_to_fnentry)(&bits_of_product),
                      mkIRExprVec_4(arguments[0], arguments[1], arguments[2], arguments[3]));
    return put(block, Ity_I64, call);
}

/* The core's numbers of multiplications whose flags are asked for, of 8 bits without a sign to 64
 * with one. */
#define FIRST_PRODUCT 45
#define LAST_PRODUCT 52

/* Whether the flags of a product do not depend on undefined bits: 0 and 1 times any number fit. 0
 * if so, else all bits. */
static ULong flags_of_product(ULong operation, ULong a, ULong b, ULong va, ULong vb) {
    if (operation < FIRST_PRODUCT || operation > LAST_PRODUCT) return ~0ull;
    UInt width = 8u << (operation - FIRST_PRODUCT) % 4;
    ULong mask = ~0ull >> (64 - width);
    return (!(va & mask) && (a & mask) <= 1) || (!(vb & mask) && (b & mask) <= 1) ? 0 : ~0ull;
}

/* What the core computes by a function of its own: flags, from a number that says of which
 * operation, and its operands. all: the undefined bits of all arguments. */
IRExpr *bits_of_call(struct block *block, const IRCallee *callee, IRExpr **arguments, IRExpr *all) {
    Bool is_condition = VG_(strcmp)(callee->name, "amd64g_calculate_condition") == 0;
    if (!is_condition && VG_(strncmp)(callee->name, "amd64g_calculate_rflags", 23) != 0) return all;
    IRExpr **flags = arguments + (is_condition ? 1 : 0);
    IRExpr *va = bits_of(block, flags[1]), *vb = bits_of(block, flags[2]);
    IRExpr *call =
        mkIRExprCCall(Ity_I64, 0, "flags_of_product", VG_(fnptr_to_fnentry)(&flags_of_product),
                      mkIRExprVec_5(flags[0], flags[1], flags[2], va, vb));
    return binop(block, Ity_I64, Iop_And64, all, put(block, Ity_I64, call));
}

/* ---- all operators ---- */

IRExpr *bits_of_unop(struct block *block, IROp op, IRExpr *a, IRExpr *va) {
    IRType to, from, t2, t3, t4;
    typeOfPrimop(op, &to, &from, &t2, &t3, &t4);
    to = type_of_bits(to), from = type_of_bits(from);
    if (is_no_bits(va)) return no_bits(to);
    if (keeps_bits(op)) return va;
    if (mover(op) != Iop_INVALID) return unop(block, to, op, va);
    if (low_lane_of(op)) return of_low_lane(block, low_lane_of(op), va, va);
    if (lane_of(op)) return by_lanes(block, to, lane_of(op), va);
    switch (op) {
    case Iop_Ctz64:
    case Iop_CtzNat64: return of_zeros(block, False, Ity_I64, a, va);
    case Iop_Ctz32:
    case Iop_CtzNat32: return of_zeros(block, False, Ity_I32, a, va);
    case Iop_Clz64:
    case Iop_ClzNat64: return of_zeros(block, True, Ity_I64, a, va);
    case Iop_Clz32:
    case Iop_ClzNat32: return of_zeros(block, True, Ity_I32, a, va);
    case Iop_CmpNEZ8:
    case Iop_CmpNEZ16:
    case Iop_CmpNEZ32:
    case Iop_CmpNEZ64: return of_equality(block, from, a, no_bits(from), va, no_bits(from));
    default: return spread(block, to, va);
    }
}

static IRType compared(IROp op) {
    switch (op) {
    case Iop_CmpEQ8:
    case Iop_CmpNE8:
    case Iop_ExpCmpNE8: return Ity_I8;
    case Iop_CmpEQ16:
    case Iop_CmpNE16:
    case Iop_ExpCmpNE16: return Ity_I16;
    case Iop_CmpEQ32:
    case Iop_CmpNE32:
    case Iop_ExpCmpNE32: return Ity_I32;
    case Iop_CmpEQ64:
    case Iop_CmpNE64:
    case Iop_ExpCmpNE64: return Ity_I64;
    default: return Ity_INVALID;
    }
}

static Bool is_one_of(IROp op, IROp first) { return op >= first && op <= first + 3; }

/* Equal lanes of vectors: known to differ where a defined bit does. */
static IRExpr *of_equal_lanes(struct block *block, IRType type, Int lane, IRExpr *a, IRExpr *b,
                              IRExpr *va, IRExpr *vb) {
    struct operators o = operators_of(type);
    IRExpr *both = either(block, type, va, vb);
    IRExpr *differ =
        binop(block, type, o.and, binop(block, type, o.xor, a, b), unop(block, type, o.not, both));
    return binop(block, type, o.and, by_lanes(block, type, lane, both),
                 unop(block, type, o.not, by_lanes(block, type, lane, differ)));
}

Bool is_equality_of_lanes(IROp op) {
    switch (op) {
    case Iop_CmpEQ8x8:
    case Iop_CmpEQ16x4:
    case Iop_CmpEQ32x2:
    case Iop_CmpEQ8x16:
    case Iop_CmpEQ16x8:
    case Iop_CmpEQ32x4:
    case Iop_CmpEQ64x2:
    case Iop_CmpEQ8x32:
    case Iop_CmpEQ16x16:
    case Iop_CmpEQ32x8:
    case Iop_CmpEQ64x4: return True;
    default: return False;
    }
}

IRExpr *bits_of_binop(struct block *block, IROp op, IRExpr *a, IRExpr *b, IRExpr *va, IRExpr *vb) {
    IRType to, first, second, t3, t4;
    typeOfPrimop(op, &to, &first, &second, &t3, &t4);
    to = type_of_bits(to), first = type_of_bits(first), second = type_of_bits(second);
    if (is_no_bits(va) && is_no_bits(vb)) return no_bits(to);
    if (!va) va = no_bits(first);
    if (!vb) vb = no_bits(second);
    if (is_one_of(op, Iop_Add8)) return of_sum(block, to, False, a, b, va, vb);
    if (is_one_of(op, Iop_Sub8)) return of_sum(block, to, True, a, b, va, vb);
    if (is_one_of(op, Iop_And8) || op == Iop_AndV128 || op == Iop_AndV256)
        return of_bitwise(block, to, True, a, b, va, vb);
    if (is_one_of(op, Iop_Or8) || op == Iop_OrV128 || op == Iop_OrV256)
        return of_bitwise(block, to, False, a, b, va, vb);
    if (is_one_of(op, Iop_Xor8) || op == Iop_XorV128 || op == Iop_XorV256)
        return either(block, to, va, vb);
    if (is_one_of(op, Iop_Mul8)) {
        IRExpr *bits = of_product(block, to, a, b, va, vb);
        if (to == Ity_I64) return bits;
        return unop(block, to,
                    to == Ity_I32   ? Iop_64to32
                    : to == Ity_I16 ? Iop_64to16
                                    : Iop_64to8,
                    bits);
    }
    if (is_one_of(op, Iop_MullS8) || is_one_of(op, Iop_MullU8))
        return spread(block, to, of_product(block, first, a, b, va, vb));
    if (compared(op) != Ity_INVALID) return of_equality(block, compared(op), a, b, va, vb);
    if (is_one_of(op, Iop_CasCmpEQ8) || is_one_of(op, Iop_CasCmpNE8)) return no_bits(to);
    switch (op) {
    case Iop_CmpLT32S:
    case Iop_CmpLE32S: return of_order(block, Ity_I32, op, True, a, b, va, vb);
    case Iop_CmpLT64S:
    case Iop_CmpLE64S: return of_order(block, Ity_I64, op, True, a, b, va, vb);
    case Iop_CmpLT32U:
    case Iop_CmpLE32U: return of_order(block, Ity_I32, op, False, a, b, va, vb);
    case Iop_CmpLT64U:
    case Iop_CmpLE64U: return of_order(block, Ity_I64, op, False, a, b, va, vb);
    case Iop_Or1:
    case Iop_And1: return either(block, Ity_I1, va, vb);
    default: break;
    }
    if (mover(op) != Iop_INVALID) return binop(block, to, op, va, vb);
    if (is_shift_of_lanes(op)) {
        IRExpr *moved = is_no_bits(va) ? no_bits(to) : binop(block, to, op, va, b);
        return either(block, to, moved, spread(block, to, vb));
    }
    if (is_equality_of_lanes(op)) return of_equal_lanes(block, to, lane_of(op), a, b, va, vb);
    if (low_lane_of(op)) return of_low_lane(block, low_lane_of(op), va, vb);
    if (lane_of(op)) {
        /* The first operand of some is how they round. */
        if (first != to)
            return spread(block, to,
                          some(block, either(block, Ity_I64, some(block, va), some(block, vb))));
        return by_lanes(block, to, lane_of(op), either(block, to, va, vb));
    }
    IROp by;
    Int narrowed = narrowed_lane(op, &by);
    if (narrowed)
        return binop(block, to, by, by_lanes(block, first, narrowed, va),
                     by_lanes(block, second, narrowed, vb));
    if (op == Iop_Perm8x16 || op == Iop_Perm8x8 || op == Iop_Perm32x4 || op == Iop_Perm32x8 ||
        op == Iop_PermOrZero8x16 || op == Iop_PermOrZero8x8) {
        Int lane = op == Iop_Perm32x4 || op == Iop_Perm32x8 ? 4 : 1;
        IRExpr *moved = is_no_bits(va) ? no_bits(to) : binop(block, to, op, va, b);
        return either(block, to, moved, by_lanes(block, to, lane, vb));
    }
    IRExpr *both = either(block, Ity_I64, some(block, va), some(block, vb));
    return spread(block, to, both);
}

IRExpr *bits_of_other(struct block *block, IROp op, IRExpr **v, Int count) {
    IRType to, types[4];
    typeOfPrimop(op, &to, &types[0], &types[1], &types[2], &types[3]);
    to = type_of_bits(to);
    Int lane = lane_of(op);
    if (count == 3 && lane && is_no_bits(v[0]))
        return by_lanes(block, to, lane, either(block, to, v[1], v[2]));
    if (op == Iop_64x4toV256) {
        for (Int i = 0; i < 4; i++)
            if (!v[i]) v[i] = word(0);
        return put(block, to, IRExpr_Qop(op, v[0], v[1], v[2], v[3]));
    }
    IRExpr *all = word(0);
    for (Int i = 0; i < count; i++) all = either(block, Ity_I64, all, some(block, v[i]));
    return spread(block, to, all);
}
