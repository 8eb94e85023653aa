/* Opcodes of MMX, SSE, AVX, AVX-512 and AMX, and of the general instructions that VEX encodes.
 * An instruction has the same opcode in all its encodings, so that one row is for all of them;
 * where AVX-512 uses an opcode anew, its row stands before the older one. */
#include "rows.h"
#include "x86.h"

#define ALL 0xff
#define REG(n) (1u << (n))
#define SSE (LEGACY | VEX | EVEX)
#define P_PACKED (P_NONE | P_66)
#define P_SCALAR (P_F3 | P_F2)
#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* Rows of instructions that read, and that write, their ModRM operand. */
#define R(first, last, where, width, form)                                                         \
    {first, last, where, ALL, width, X86_READ, NOTHING, MODRM | (form)}
#define W(first, last, where, width, form)                                                         \
    {first, last, where, ALL, width, X86_WRITE, NOTHING, MODRM | (form)}
#define REGISTER(first, last, where, form)                                                         \
    {first, last, where, ALL, NONE, 0, NOTHING, MODRM | REGISTERS | (form)}

static const struct x86_row map_0f[] = {
    R(0x10, 0x10, SSE | P_ALL, FLOAT, 0),
    W(0x11, 0x11, SSE | P_ALL, FLOAT, 0),
    R(0x12, 0x12, SSE | P_PACKED, B8, 0),
    R(0x12, 0x12, SSE | P_F3, VECTOR, 0),
    R(0x12, 0x12, SSE | P_F2, DUPLICATE, 0),
    W(0x13, 0x13, SSE | P_PACKED, B8, 0),
    R(0x14, 0x15, SSE | P_PACKED, VECTOR, 0),
    R(0x16, 0x16, SSE | P_PACKED, B8, 0),
    R(0x16, 0x16, SSE | P_F3, VECTOR, 0),
    W(0x17, 0x17, SSE | P_PACKED, B8, 0),
    R(0x28, 0x28, SSE | P_PACKED, VECTOR, 0),
    W(0x29, 0x29, SSE | P_PACKED, VECTOR, 0),
    R(0x2a, 0x2a, LEGACY | P_PACKED, B8, 0),
    R(0x2a, 0x2a, SSE | P_SCALAR, WORD, 0),
    W(0x2b, 0x2b, SSE | P_PACKED, VECTOR, 0),
    W(0x2b, 0x2b, LEGACY | P_SCALAR, FLOAT, 0), /* movntss, movntsd */
    R(0x2c, 0x2d, LEGACY | P_NONE, B8, 0),
    R(0x2c, 0x2d, LEGACY | P_66, B16, 0),
    R(0x2c, 0x2d, SSE | P_SCALAR, FLOAT, 0),
    R(0x2e, 0x2f, SSE | P_NONE, B4, 0),
    R(0x2e, 0x2f, SSE | P_66, B8, 0),
    REGISTER(0x41, 0x4b, VEX | P_PACKED, 0),
    REGISTER(0x50, 0x50, SSE | P_PACKED, 0),
    R(0x51, 0x53, SSE | P_ALL, FLOAT, 0),
    R(0x54, 0x57, SSE | P_PACKED, VECTOR, 0),
    R(0x58, 0x59, SSE | P_ALL, FLOAT, 0),
    R(0x5a, 0x5a, SSE | P_NONE, HALF, 0),
    R(0x5a, 0x5a, SSE | P_66 | P_SCALAR, FLOAT, 0),
    R(0x5b, 0x5b, SSE | P_PACKED | P_F3, VECTOR, 0),
    R(0x5c, 0x5f, SSE | P_ALL, FLOAT, 0),
    R(0x60, 0x62, SSE | P_PACKED, MMX4, 0),
    R(0x63, 0x6d, SSE | P_PACKED, MMX, 0),
    R(0x6e, 0x6e, SSE | P_PACKED, WORD, 0),
    R(0x6f, 0x6f, SSE | P_NONE, MMX, 0),
    R(0x6f, 0x6f, SSE | P_66 | P_SCALAR, VECTOR, 0),
    R(0x70, 0x70, SSE | P_ALL, MMX, IMMEDIATE_1),
    R(0x71, 0x73, EVEX | P_66, VECTOR, IMMEDIATE_1),
    REGISTER(0x71, 0x73, LEGACY | VEX | P_PACKED, IMMEDIATE_1),
    R(0x74, 0x76, SSE | P_PACKED, MMX, 0),
    {0x77, 0x77, VEX | P_NONE, ALL, NONE, 0, NOTHING, 0},
    R(0x78, 0x79, EVEX | P_NONE, VECTOR, 0),
    R(0x78, 0x79, EVEX | P_66, HALF_W, 0),
    R(0x78, 0x79, EVEX | P_SCALAR, FLOAT, 0),
    R(0x7a, 0x7a, EVEX | P_66 | P_F3, HALF_W, 0),
    R(0x7a, 0x7a, EVEX | P_F2, VECTOR, 0),
    R(0x7b, 0x7b, EVEX | P_66, HALF_W, 0),
    R(0x7b, 0x7b, EVEX | P_SCALAR, WORD, 0),
    R(0x7c, 0x7d, SSE | P_66 | P_F2, VECTOR, 0),
    W(0x7e, 0x7e, SSE | P_PACKED, WORD, 0),
    R(0x7e, 0x7e, SSE | P_F3, B8, 0),
    W(0x7f, 0x7f, SSE | P_NONE, MMX, 0),
    W(0x7f, 0x7f, SSE | P_66 | P_SCALAR, VECTOR, 0),
    R(0x90, 0x90, VEX | P_PACKED, OPMASK, 0),
    W(0x91, 0x91, VEX | P_PACKED, OPMASK, 0),
    REGISTER(0x92, 0x93, VEX | P_ALL, 0),
    REGISTER(0x98, 0x99, VEX | P_PACKED, 0),
    {0xae, 0xae, VEX | P_NONE, REG(2), B4, X86_READ, NOTHING, MODRM},
    {0xae, 0xae, VEX | P_NONE, REG(3), B4, X86_WRITE, NOTHING, MODRM},
    R(0xc2, 0xc2, SSE | P_ALL, FLOAT, IMMEDIATE_1),
    R(0xc4, 0xc4, SSE | P_PACKED, B2, IMMEDIATE_1),
    REGISTER(0xc5, 0xc5, SSE | P_PACKED, IMMEDIATE_1),
    R(0xc6, 0xc6, SSE | P_PACKED, VECTOR, IMMEDIATE_1),
    R(0xd0, 0xd0, SSE | P_66 | P_F2, VECTOR, 0),
    R(0xd1, 0xd3, SSE | P_PACKED, MMX16, 0),
    W(0xd6, 0xd6, SSE | P_66, B8, 0),
    REGISTER(0xd6, 0xd6, LEGACY | P_SCALAR, 0),
    REGISTER(0xd7, 0xd7, SSE | P_PACKED, 0),
    R(0xe1, 0xe2, SSE | P_PACKED, MMX16, 0),
    R(0xe6, 0xe6, SSE | P_F3, HALF_W, 0),
    R(0xe6, 0xe6, SSE | P_66 | P_F2, VECTOR, 0),
    W(0xe7, 0xe7, SSE | P_PACKED, MMX, 0),
    R(0xf0, 0xf0, SSE | P_F2, VECTOR, 0),
    R(0xf1, 0xf3, SSE | P_PACKED, MMX16, 0),
    {0xf7, 0xf7, SSE | P_PACKED, ALL, MMX, X86_WRITE, MASK_MOVE, MODRM | REGISTERS | MASKED},
    R(0xd4, 0xfe, SSE | P_PACKED, MMX, 0), /* what is left of packed integers */
};

static const struct x86_row map_0f38[] = {
    W(0x10, 0x10, EVEX | P_F3, HALF, 0), /* vpmovuswb and its kin: each stores a part */
    W(0x11, 0x11, EVEX | P_F3, QUARTER, 0),
    W(0x12, 0x12, EVEX | P_F3, EIGHTH, 0),
    W(0x13, 0x13, EVEX | P_F3, HALF, 0),
    W(0x14, 0x14, EVEX | P_F3, QUARTER, 0),
    W(0x15, 0x15, EVEX | P_F3, HALF, 0),
    W(0x20, 0x20, EVEX | P_F3, HALF, 0),
    W(0x21, 0x21, EVEX | P_F3, QUARTER, 0),
    W(0x22, 0x22, EVEX | P_F3, EIGHTH, 0),
    W(0x23, 0x23, EVEX | P_F3, HALF, 0),
    W(0x24, 0x24, EVEX | P_F3, QUARTER, 0),
    W(0x25, 0x25, EVEX | P_F3, HALF, 0),
    W(0x30, 0x30, EVEX | P_F3, HALF, 0),
    W(0x31, 0x31, EVEX | P_F3, QUARTER, 0),
    W(0x32, 0x32, EVEX | P_F3, EIGHTH, 0),
    W(0x33, 0x33, EVEX | P_F3, HALF, 0),
    W(0x34, 0x34, EVEX | P_F3, QUARTER, 0),
    W(0x35, 0x35, EVEX | P_F3, HALF, 0),
    R(0x26, 0x27, EVEX | P_66 | P_F3, VECTOR, 0),
    REGISTER(0x28, 0x2a, EVEX | P_F3, 0),
    REGISTER(0x38, 0x3a, EVEX | P_F3, 0),
    R(0x2c, 0x2c, EVEX | P_66, VECTOR, 0),
    R(0x2d, 0x2d, EVEX | P_66, SCALAR, 0),
    R(0x00, 0x0b, SSE | P_PACKED, MMX, 0),
    R(0x0c, 0x0f, VEX | EVEX | P_66, VECTOR, 0),
    R(0x10, 0x12, SSE | P_66, VECTOR, 0),
    R(0x13, 0x13, VEX | EVEX | P_66, HALF, 0),
    R(0x14, 0x17, SSE | P_66, VECTOR, 0),
    R(0x18, 0x18, VEX | EVEX | P_66, B4, 0),
    R(0x19, 0x19, VEX | EVEX | P_66, B8, 0),
    R(0x1a, 0x1a, VEX | EVEX | P_66, B16, 0),
    R(0x1b, 0x1b, EVEX | P_66, B32, 0),
    R(0x1c, 0x1f, SSE | P_PACKED, MMX, 0),
    R(0x20, 0x20, SSE | P_66, HALF, 0), /* pmovsxbw and its kin */
    R(0x21, 0x21, SSE | P_66, QUARTER, 0),
    R(0x22, 0x22, SSE | P_66, EIGHTH, 0),
    R(0x23, 0x23, SSE | P_66, HALF, 0),
    R(0x24, 0x24, SSE | P_66, QUARTER, 0),
    R(0x25, 0x25, SSE | P_66, HALF, 0),
    R(0x28, 0x2b, SSE | P_66, VECTOR, 0),
    R(0x2c, 0x2d, VEX | P_66, VECTOR, MASKED),
    W(0x2e, 0x2f, VEX | P_66, VECTOR, MASKED),
    R(0x30, 0x30, SSE | P_66, HALF, 0),
    R(0x31, 0x31, SSE | P_66, QUARTER, 0),
    R(0x32, 0x32, SSE | P_66, EIGHTH, 0),
    R(0x33, 0x33, SSE | P_66, HALF, 0),
    R(0x34, 0x34, SSE | P_66, QUARTER, 0),
    R(0x35, 0x35, SSE | P_66, HALF, 0),
    R(0x41, 0x41, SSE | P_66, B16, 0),
    R(0x43, 0x43, EVEX | P_66, SCALAR, 0),
    R(0x36, 0x47, SSE | P_66, VECTOR, 0),
    {0x49, 0x49, VEX | P_NONE, REG(0), B64, X86_READ, NOTHING, MODRM}, /* ldtilecfg, sttilecfg */
    {0x49, 0x49, VEX | P_66, REG(0), B64, X86_WRITE, NOTHING, MODRM},
    REGISTER(0x49, 0x49, VEX | P_F2, 0),
    R(0x4b, 0x4b, VEX | P_66 | P_F2, NONE, 0), /* tiles: rows of the bytes that a register holds */
    W(0x4b, 0x4b, VEX | P_F3, NONE, 0),
    R(0x4d, 0x4d, EVEX | P_66, SCALAR, 0),
    R(0x4f, 0x4f, EVEX | P_66, SCALAR, 0),
    R(0x4c, 0x4e, EVEX | P_66, VECTOR, 0),
    R(0x52, 0x53, EVEX | P_F2, B16, 0),
    R(0x50, 0x53, VEX | EVEX | P_ALL, VECTOR, 0),
    R(0x54, 0x55, EVEX | P_66, VECTOR, 0),
    R(0x58, 0x58, VEX | EVEX | P_66, B4, 0),
    R(0x59, 0x59, VEX | EVEX | P_66, B8, 0),
    R(0x5a, 0x5a, VEX | EVEX | P_66, B16, 0),
    R(0x5b, 0x5b, EVEX | P_66, B32, 0),
    REGISTER(0x5c, 0x5e, VEX | P_ALL, 0),
    R(0x62, 0x62, EVEX | P_66, EXPAND_SMALL, 0),
    W(0x63, 0x63, EVEX | P_66, EXPAND_SMALL, 0),
    R(0x64, 0x77, EVEX | P_ALL, VECTOR, 0),
    R(0x72, 0x72, VEX | P_F3, VECTOR, 0),
    R(0x78, 0x78, VEX | EVEX | P_66, B1, 0),
    R(0x79, 0x79, VEX | EVEX | P_66, B2, 0),
    REGISTER(0x7a, 0x7c, EVEX | P_66, 0),
    R(0x7d, 0x7f, EVEX | P_66, VECTOR, 0),
    R(0x83, 0x83, EVEX | P_66, VECTOR, 0),
    R(0x88, 0x89, EVEX | P_66, EXPAND, 0),
    W(0x8a, 0x8b, EVEX | P_66, EXPAND, 0),
    R(0x8c, 0x8c, VEX | P_66, VECTOR, MASKED),
    R(0x8d, 0x8d, EVEX | P_66, VECTOR, 0),
    W(0x8e, 0x8e, VEX | P_66, VECTOR, MASKED),
    R(0x8f, 0x8f, EVEX | P_66, VECTOR, 0),
    R(0x90, 0x93, VEX | EVEX | P_66, WORD, INDEXED),
    W(0xa0, 0xa3, EVEX | P_66, WORD, INDEXED),
    R(0x9a, 0x9b, EVEX | P_F2, B16, 0),
    R(0xaa, 0xab, EVEX | P_F2, B16, 0),
#define FUSED(base) /* multiply-add: packed, then packed and scalar in turns */                    \
    R((base) + 6, (base) + 8, VEX | EVEX | P_66, VECTOR, 0),                                       \
        R((base) + 9, (base) + 9, VEX | EVEX | P_66, SCALAR, 0),                                   \
        R((base) + 10, (base) + 10, VEX | EVEX | P_66, VECTOR, 0),                                 \
        R((base) + 11, (base) + 11, VEX | EVEX | P_66, SCALAR, 0),                                 \
        R((base) + 12, (base) + 12, VEX | EVEX | P_66, VECTOR, 0),                                 \
        R((base) + 13, (base) + 13, VEX | EVEX | P_66, SCALAR, 0),                                 \
        R((base) + 14, (base) + 14, VEX | EVEX | P_66, VECTOR, 0),                                 \
        R((base) + 15, (base) + 15, VEX | EVEX | P_66, SCALAR, 0)
    FUSED(0x90),
    FUSED(0xa0),
    FUSED(0xb0),
    R(0xb0, 0xb0, VEX | P_ALL, VECTOR, 0), /* AVX-NE-CONVERT */
    R(0xb1, 0xb1, VEX | P_66 | P_F3, B2, 0),
    R(0xb4, 0xb5, VEX | EVEX | P_66, VECTOR, 0),
    R(0xc4, 0xc4, EVEX | P_66, VECTOR, 0),
    {0xc6, 0xc7, EVEX | P_66, ALL, NONE, 0, NOTHING, MODRM | INDEXED}, /* prefetches */
    R(0xcb, 0xcb, EVEX | P_66, SCALAR, 0),
    R(0xcd, 0xcd, EVEX | P_66, SCALAR, 0),
    R(0xc8, 0xcf, SSE | P_PACKED, VECTOR, 0),
    R(0xd2, 0xd3, VEX | P_ALL, VECTOR, 0),
    R(0xda, 0xda, VEX | P_ALL, VECTOR, 0),
    R(0xdb, 0xdf, SSE | P_66, VECTOR, 0),
    {0xe0, 0xef, VEX | P_66, ALL, WORD, X86_READ | X86_WRITE, NOTHING, MODRM}, /* cmpccxadd */
    R(0xf2, 0xf7, VEX | P_ALL, WORD, 0),
};

static const struct x86_row map_0f3a[] = {
    R(0x00, 0x02, VEX | EVEX | P_66, VECTOR, IMMEDIATE_1),
    R(0x03, 0x03, EVEX | P_66, VECTOR, IMMEDIATE_1),
    R(0x04, 0x06, VEX | EVEX | P_66, VECTOR, IMMEDIATE_1),
    R(0x08, 0x09, SSE | P_PACKED, VECTOR, IMMEDIATE_1),
    R(0x0a, 0x0a, EVEX | P_NONE, SCALAR, IMMEDIATE_1),
    R(0x0a, 0x0a, SSE | P_66, B4, IMMEDIATE_1),
    R(0x0b, 0x0b, SSE | P_66, B8, IMMEDIATE_1),
    R(0x0c, 0x0f, SSE | P_PACKED, MMX, IMMEDIATE_1),
    W(0x14, 0x14, SSE | P_66, B1, IMMEDIATE_1),
    W(0x15, 0x15, SSE | P_66, B2, IMMEDIATE_1),
    W(0x16, 0x16, SSE | P_66, WORD, IMMEDIATE_1),
    W(0x17, 0x17, SSE | P_66, B4, IMMEDIATE_1),
    R(0x18, 0x18, VEX | EVEX | P_66, B16, IMMEDIATE_1),
    W(0x19, 0x19, VEX | EVEX | P_66, B16, IMMEDIATE_1),
    R(0x1a, 0x1a, EVEX | P_66, B32, IMMEDIATE_1),
    W(0x1b, 0x1b, EVEX | P_66, B32, IMMEDIATE_1),
    W(0x1d, 0x1d, VEX | EVEX | P_66, HALF, IMMEDIATE_1),
    R(0x20, 0x20, SSE | P_66, B1, IMMEDIATE_1),
    R(0x21, 0x21, SSE | P_66, B4, IMMEDIATE_1),
    R(0x22, 0x22, SSE | P_66, WORD, IMMEDIATE_1),
    R(0x1e, 0x26, EVEX | P_PACKED, VECTOR, IMMEDIATE_1),
    R(0x27, 0x27, EVEX | P_PACKED, SCALAR, IMMEDIATE_1),
    REGISTER(0x30, 0x33, VEX | P_66, IMMEDIATE_1),
    R(0x38, 0x38, VEX | EVEX | P_66, B16, IMMEDIATE_1),
    W(0x39, 0x39, VEX | EVEX | P_66, B16, IMMEDIATE_1),
    R(0x3a, 0x3a, EVEX | P_66, B32, IMMEDIATE_1),
    W(0x3b, 0x3b, EVEX | P_66, B32, IMMEDIATE_1),
    R(0x3e, 0x3f, EVEX | P_66, VECTOR, IMMEDIATE_1),
    R(0x40, 0x40, LEGACY | VEX | P_66, VECTOR, IMMEDIATE_1),
    R(0x41, 0x41, LEGACY | VEX | P_66, B16, IMMEDIATE_1),
    R(0x42, 0x50, SSE | P_PACKED, VECTOR, IMMEDIATE_1),
    R(0x51, 0x51, EVEX | P_PACKED, SCALAR, IMMEDIATE_1),
    R(0x54, 0x54, EVEX | P_PACKED, VECTOR, IMMEDIATE_1),
    R(0x55, 0x55, EVEX | P_PACKED, SCALAR, IMMEDIATE_1),
    R(0x56, 0x56, EVEX | P_PACKED, VECTOR, IMMEDIATE_1),
    R(0x57, 0x57, EVEX | P_PACKED, SCALAR, IMMEDIATE_1),
    R(0x5c, 0x5f, VEX | P_66, VECTOR, IMMEDIATE_1), /* AMD's multiply-add with four operands */
#define FOUR(base)                                                                                 \
    R(base, (base) + 1, VEX | P_66, VECTOR, IMMEDIATE_1),                                          \
        R((base) + 2, (base) + 2, VEX | P_66, B4, IMMEDIATE_1),                                    \
        R((base) + 3, (base) + 3, VEX | P_66, B8, IMMEDIATE_1)
    R(0x60, 0x63, LEGACY | VEX | P_66, B16, IMMEDIATE_1),
    R(0x66, 0x66, EVEX | P_PACKED, VECTOR, IMMEDIATE_1),
    R(0x67, 0x67, EVEX | P_PACKED, SCALAR, IMMEDIATE_1),
    R(0x70, 0x73, EVEX | P_66, VECTOR, IMMEDIATE_1),
    FOUR(0x68),
    FOUR(0x6c),
    FOUR(0x78),
    FOUR(0x7c),
    R(0xc2, 0xc2, EVEX | P_NONE, VECTOR, IMMEDIATE_1),
    R(0xc2, 0xc2, EVEX | P_F3, SCALAR, IMMEDIATE_1),
    R(0xcc, 0xdf, SSE | P_PACKED, VECTOR, IMMEDIATE_1),
    R(0xf0, 0xf0, VEX | P_F2, WORD, IMMEDIATE_1),
};

/* Half precision. */
static const struct x86_row map_5[] = {
    R(0x10, 0x10, EVEX | P_F3, SCALAR, 0),      W(0x11, 0x11, EVEX | P_F3, SCALAR, 0),
    R(0x1d, 0x1d, EVEX | P_NONE, B4, 0),        R(0x1d, 0x1d, EVEX | P_66, VECTOR_W, 0),
    R(0x2a, 0x2a, EVEX | P_F3, WORD, 0),        R(0x2c, 0x2d, EVEX | P_F3, SCALAR, 0),
    R(0x2e, 0x2f, EVEX | P_NONE, SCALAR, 0),    R(0x5a, 0x5a, EVEX | P_NONE, QUARTER, 0),
    R(0x5a, 0x5a, EVEX | P_66, VECTOR_W, 0),    R(0x5a, 0x5a, EVEX | P_F3, B2, 0),
    R(0x5a, 0x5a, EVEX | P_F2, B8, 0),          R(0x5b, 0x5b, EVEX | P_NONE, VECTOR_W, 0),
    R(0x5b, 0x5b, EVEX | P_66 | P_F3, HALF, 0), R(0x51, 0x5f, EVEX | P_NONE, VECTOR, 0),
    R(0x51, 0x5f, EVEX | P_F3, SCALAR, 0),      R(0x6e, 0x6e, EVEX | P_66, B2, 0),
    R(0x78, 0x79, EVEX | P_NONE, HALF, 0),      R(0x78, 0x79, EVEX | P_66, QUARTER, 0),
    R(0x78, 0x79, EVEX | P_F3, SCALAR, 0),      R(0x7a, 0x7a, EVEX | P_66, QUARTER, 0),
    R(0x7a, 0x7a, EVEX | P_F2, VECTOR_W, 0),    R(0x7b, 0x7b, EVEX | P_66, QUARTER, 0),
    R(0x7b, 0x7b, EVEX | P_F3, WORD, 0),        R(0x7c, 0x7d, EVEX | P_ALL, VECTOR, 0),
    W(0x7e, 0x7e, EVEX | P_66, B2, 0),
};

static const struct x86_row map_6[] = {
    R(0x13, 0x13, EVEX | P_NONE, B2, 0),
    R(0x13, 0x13, EVEX | P_66, HALF, 0),
    R(0x2c, 0x2c, EVEX | P_66, VECTOR, 0),
    R(0x2d, 0x2d, EVEX | P_66, SCALAR, 0),
    R(0x42, 0x42, EVEX | P_66, VECTOR, 0),
    R(0x43, 0x43, EVEX | P_66, SCALAR, 0),
    R(0x4c, 0x4c, EVEX | P_66, VECTOR, 0),
    R(0x4d, 0x4d, EVEX | P_66, SCALAR, 0),
    R(0x4e, 0x4e, EVEX | P_66, VECTOR, 0),
    R(0x4f, 0x4f, EVEX | P_66, SCALAR, 0),
    R(0x56, 0x56, EVEX | P_F3 | P_F2, VECTOR_W, 0),
    R(0x57, 0x57, EVEX | P_F3 | P_F2, B4, 0),
    FUSED(0x90),
    FUSED(0xa0),
    FUSED(0xb0),
    R(0xd6, 0xd6, EVEX | P_F3 | P_F2, VECTOR_W, 0),
    R(0xd7, 0xd7, EVEX | P_F3 | P_F2, B4, 0),
};

/* AMD's XOP. */
static const struct x86_row map_8[] = {
    R(0x85, 0xbf, XOP | P_ALL, VECTOR, IMMEDIATE_1),
    R(0xc0, 0xc3, XOP | P_ALL, B16, IMMEDIATE_1),
    R(0xcc, 0xef, XOP | P_ALL, B16, IMMEDIATE_1),
};

static const struct x86_row map_9[] = {
    R(0x01, 0x02, XOP | P_ALL, WORD, 0), R(0x80, 0x81, XOP | P_ALL, VECTOR, 0),
    R(0x82, 0x82, XOP | P_ALL, B4, 0),   R(0x83, 0x83, XOP | P_ALL, B8, 0),
    R(0x90, 0xe3, XOP | P_ALL, B16, 0),
};

static const struct x86_row map_10[] = {
    R(0x10, 0x10, XOP | P_ALL, WORD, IMMEDIATE_4),
    R(0x12, 0x12, XOP | P_ALL, B4, IMMEDIATE_4),
};

const struct x86_rows x86_vector_rows[X86_MAPS] = {
    {0, 0},
    {map_0f, COUNT(map_0f)},
    {map_0f38, COUNT(map_0f38)},
    {map_0f3a, COUNT(map_0f3a)},
    {0, 0},
    {map_5, COUNT(map_5)},
    {map_6, COUNT(map_6)},
    {0, 0},
    {map_8, COUNT(map_8)},
    {map_9, COUNT(map_9)},
    {map_10, COUNT(map_10)},
};
