/* The tables of opcodes: one row for a range of opcodes that access memory in the same way. */
#ifndef WHENCE_X86_ROWS_H
#define WHENCE_X86_ROWS_H

#include <stdint.h>

/* How many bytes the ModRM operand has. */
enum x86_width {
    NONE, /* not accessed, or not known */
    B1,
    B2,
    B4,
    B8,
    B10,
    B16,
    B32,
    B64,
    B28,
    B48,
    B108,
    B512,     /* of the x87 environment, a key, the x87 state, all of fxsave */
    OPERAND,  /* 2, 4 or 8 by the prefixes 66 and REX.W */
    WORD,     /* 4, or 8 with W */
    STACK,    /* 8, or 2 with the prefix 66 */
    SIGNED,   /* 4, or 2 with the prefix 66: movsxd */
    FAR,      /* OPERAND and a segment */
    PAIR,     /* 8, or 16 with W: cmpxchg8b and cmpxchg16b */
    VECTOR,   /* the vector's length; EVEX may broadcast one element */
    VECTOR_W, /* the same; the element has 4 or 8 bytes by W in every map */
    MMX,      /* 8 without a prefix, or the vector's length */
    MMX4,     /* 4 without a prefix, or the vector's length */
    MMX16,    /* 8 without a prefix, or 16 */
    HALF,
    QUARTER,
    EIGHTH,    /* of the vector's length */
    HALF_W,    /* half of the vector's length, all of it with W of EVEX */
    FLOAT,     /* by the prefix: a vector, or 4 (f3) or 8 (f2) */
    SCALAR,    /* one element: 2 (half precision), 4 or 8 */
    DUPLICATE, /* movddup: 8 of 16, else the vector's length */
    OPMASK,    /* kmov: 1, 2, 4 or 8 by 66 and W */
    EXPAND,
    EXPAND_SMALL, /* as many elements of 4 or 8, of 1 or 2 bytes as a mask has bits */
};

/* What the instruction does beside the access of its ModRM operand. */
enum x86_act {
    NOTHING,
    PUSH,
    POP,
    ENTER,
    LEAVE,
    CALL,
    RETURN,
    JUMP,
    CONDITION,
    SYSTEM,
    TRAP,
    STRING_READ,
    STRING_WRITE,
    STRING_COPY,
    STRING_COMPARE,
    STRING_SCAN,
    ABSOLUTE,  /* the address is in the instruction */
    TRANSLATE, /* xlat */
    MASK_MOVE, /* maskmovdqu: to rdi */
    LINE_MOVE, /* movdir64b: to the address in the ModRM byte's register */
    BITS,      /* the ModRM byte's register counts bits from the operand */
};

/* Bits of `form`. */
enum {
    MODRM = 1,
    REGISTERS = 2, /* the ModRM byte names registers, whatever its mode */
    IMMEDIATE_1 = 4,
    IMMEDIATE_2 = 8,
    IMMEDIATE_4 = 16,       /* always four bytes */
    IMMEDIATE_OPERAND = 32, /* two or four bytes by the prefix 66 */
    IMMEDIATE_WIDE = 64,    /* the same, and eight with REX.W */
    MASKED = 128,           /* a vector register chooses the bytes */
    INDEXED = 256,          /* the index is a vector register */
};

/* Bits of `where`: the encodings and implied prefixes that a row is for. */
enum {
    LEGACY = 1,
    VEX = 2,
    EVEX = 4,
    XOP = 8,
    P_NONE = 16,
    P_66 = 32,
    P_F3 = 64,
    P_F2 = 128,
    P_ALL = P_NONE | P_66 | P_F3 | P_F2,
    ENCODINGS = LEGACY | VEX | EVEX | XOP,
};

struct x86_row {
    uint8_t first, last; /* opcodes */
    uint8_t where;
    uint8_t regs;   /* values of the ModRM byte's reg field, as bits */
    uint8_t width;  /* enum x86_width */
    uint8_t access; /* X86_READ, X86_WRITE */
    uint8_t act;    /* enum x86_act */
    uint16_t form;
};

#define X86_MAPS 11

struct x86_rows {
    const struct x86_row *rows;
    unsigned count;
};

/* Rows of the general maps (legacy encoding), and of the vector instructions, by map. */
extern const struct x86_rows x86_general_rows[X86_MAPS], x86_vector_rows[X86_MAPS];

#endif
