#include "rows.h"
#include "x86.h"

#include <stddef.h>

/* What the bytes before the ModRM byte say. */
struct decoder {
    const uint8_t *code;
    unsigned at, size;
    int cut; /* more bytes were needed than there are */
    unsigned encoding, map, vector;
    uint8_t short_operand, narrow, segment, repeat; /* prefixes */
    uint8_t wide;                                   /* W of REX, VEX, EVEX and XOP */
    uint8_t reg_high, index_high, base_high; /* 8 if the register's number has its fourth bit */
    uint8_t index_highest;                   /* 16: the fifth of a vector register */
    uint8_t masked, broadcast;
    const struct x86_row *row;
    struct x86_instruction *out;
};

static uint8_t next(struct decoder *decoder) {
    if (decoder->at < decoder->size) return decoder->code[decoder->at++];
    decoder->cut = 1;
    return 0;
}

static uint8_t peek(const struct decoder *decoder) {
    return decoder->at < decoder->size ? decoder->code[decoder->at] : 0;
}

static int64_t number(struct decoder *decoder, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)next(decoder) << (8 * i);
    switch (bytes) {
    case 1: return (int8_t)value;
    case 2: return (int16_t)value;
    case 4: return (int32_t)value;
    default: return (int64_t)value;
    }
}

/* ---- prefixes ---- */

static int legacy_prefix(struct decoder *decoder, uint8_t byte) {
    switch (byte) {
    case 0x66: decoder->short_operand = 1; return 1;
    case 0x67: decoder->narrow = 1; return 1;
    case 0xf2:
    case 0xf3: decoder->repeat = byte; return 1;
    case 0x64: decoder->segment = X86_FS; return 1;
    case 0x65: decoder->segment = X86_GS; return 1;
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0xf0: return 1;
    default: return 0;
    }
}

/* The escape bytes of the legacy maps; returns the opcode. */
static uint8_t legacy_map(struct decoder *decoder, uint8_t byte) {
    decoder->encoding = LEGACY;
    decoder->vector = 16;
    decoder->out->prefix = decoder->repeat ? decoder->repeat : decoder->short_operand ? 0x66 : 0;
    if (byte != 0x0f) return byte;
    byte = next(decoder);
    decoder->map = byte == 0x38 ? 2 : byte == 0x3a ? 3 : 1;
    return decoder->map == 1 ? byte : next(decoder);
}

static void rex(struct decoder *decoder, uint8_t bits) {
    decoder->wide = bits >> 3 & 1;
    decoder->reg_high = bits & 4 ? 8 : 0;
    decoder->index_high = bits & 2 ? 8 : 0;
    decoder->base_high = bits & 1 ? 8 : 0;
}

static void implied(struct decoder *decoder, uint8_t bits) {
    static const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2};
    decoder->out->prefix = prefixes[bits & 3];
}

/* VEX of two and of three bytes, and XOP; the first byte is read. Registers' bits are inverted. */
static uint8_t vex(struct decoder *decoder, uint8_t first) {
    uint8_t high = first == 0xc5 ? 0xe1 : next(decoder), low = next(decoder);
    if (first == 0xc5) high = (low & 0x80) | 0x61;
    rex(decoder, (uint8_t)(~high >> 5 & 7));
    decoder->wide = first != 0xc5 && (low & 0x80);
    decoder->encoding = first == 0x8f ? XOP : VEX;
    decoder->map = high & 31u;
    decoder->vector = low & 4 ? 32 : 16;
    implied(decoder, low);
    return next(decoder);
}

static uint8_t evex(struct decoder *decoder) {
    uint8_t high = next(decoder), middle = next(decoder), low = next(decoder);
    rex(decoder, (uint8_t)(~high >> 5 & 7));
    decoder->wide = middle >> 7;
    decoder->index_highest = low & 8 ? 0 : 16;
    decoder->encoding = EVEX;
    /* The bits that are fixed here give other instructions, which are not known. */
    decoder->map = (high & 8) || !(middle & 4) ? X86_MAPS : high & 7u;
    decoder->vector = (low >> 5 & 3) == 3 ? 64 : 16u << (low >> 5 & 3);
    decoder->masked = (low & 7) != 0;
    decoder->broadcast = (low & 0x10) != 0;
    implied(decoder, middle);
    return next(decoder);
}

static uint8_t opcode(struct decoder *decoder) {
    uint8_t byte = next(decoder);
    while (legacy_prefix(decoder, byte) && !decoder->cut) byte = next(decoder);
    if (byte >> 4 == 4) {
        rex(decoder, byte);
        return legacy_map(decoder, next(decoder));
    }
    if (byte == 0x62) return evex(decoder);
    if (byte == 0xc4 || byte == 0xc5 || (byte == 0x8f && (peek(decoder) & 31) >= 8))
        return vex(decoder, byte);
    return legacy_map(decoder, byte);
}

/* ---- the row ---- */

static unsigned place(const struct decoder *decoder) {
    switch (decoder->out->prefix) {
    case 0x66: return decoder->encoding | P_66;
    case 0xf3: return decoder->encoding | P_F3;
    case 0xf2: return decoder->encoding | P_F2;
    default: return decoder->encoding | P_NONE;
    }
}

static const struct x86_row *find(struct x86_rows table, const struct decoder *decoder) {
    unsigned where = place(decoder), reg = 1u << (peek(decoder) >> 3 & 7);
    uint8_t code = decoder->out->opcode;
    for (unsigned i = 0; i < table.count; i++) {
        const struct x86_row *row = &table.rows[i];
        if (code >= row->first && code <= row->last && (row->where & where & ENCODINGS) &&
            (row->where & where & P_ALL) && (row->regs & reg))
            return row;
    }
    return NULL;
}

static const struct x86_row *row_of(const struct decoder *decoder) {
    if (decoder->map >= X86_MAPS) return NULL;
    const struct x86_row *row = find(x86_general_rows[decoder->map], decoder);
    return row ? row : find(x86_vector_rows[decoder->map], decoder);
}

/* ---- widths ---- */

static unsigned operand_size(const struct decoder *decoder) {
    return decoder->wide ? 8 : decoder->short_operand ? 2 : 4;
}

static unsigned element_size(const struct decoder *decoder) {
    int half_precision = decoder->map >= 5 || (decoder->map == 3 && decoder->out->prefix != 0x66);
    return decoder->encoding == EVEX && half_precision ? 2 : decoder->wide ? 8 : 4;
}

static unsigned vector_part(const struct decoder *decoder, unsigned divisor) {
    return decoder->broadcast ? element_size(decoder) : decoder->vector / divisor;
}

static unsigned mmx(const struct decoder *decoder, unsigned least, unsigned most) {
    return decoder->encoding == LEGACY && !decoder->out->prefix ? least : most;
}

static unsigned floating(const struct decoder *decoder) {
    uint8_t prefix = decoder->out->prefix;
    return prefix == 0xf3 ? 4 : prefix == 0xf2 ? 8 : vector_part(decoder, 1);
}

static unsigned opmask(const struct decoder *decoder) {
    int bytes = decoder->out->prefix == 0x66;
    return decoder->wide ? (bytes ? 4 : 8) : bytes ? 1 : 2;
}

static unsigned width_of(const struct decoder *decoder, enum x86_width width) {
    static const uint16_t fixed[] = {[NONE] = 0, [B1] = 1,     [B2] = 2,    [B4] = 4,   [B8] = 8,
                                     [B10] = 10, [B16] = 16,   [B32] = 32,  [B64] = 64, [B28] = 28,
                                     [B48] = 48, [B108] = 108, [B512] = 512};
    switch (width) {
    case OPERAND: return operand_size(decoder);
    case WORD: return decoder->wide ? 8 : 4;
    case STACK: return decoder->short_operand && !decoder->wide ? 2 : 8;
    case SIGNED: return decoder->short_operand && !decoder->wide ? 2 : 4;
    case FAR: return operand_size(decoder) + 2;
    case PAIR: return decoder->wide ? 16 : 8;
    case VECTOR: return vector_part(decoder, 1);
    case VECTOR_W: return !decoder->broadcast ? decoder->vector : decoder->wide ? 8 : 4;
    case MMX: return mmx(decoder, 8, vector_part(decoder, 1));
    case MMX4: return mmx(decoder, 4, vector_part(decoder, 1));
    case MMX16: return mmx(decoder, 8, 16);
    case HALF: return vector_part(decoder, 2);
    case QUARTER: return vector_part(decoder, 4);
    case EIGHTH: return vector_part(decoder, 8);
    case HALF_W: return vector_part(decoder, decoder->wide && decoder->encoding == EVEX ? 1 : 2);
    case FLOAT: return floating(decoder);
    case SCALAR: return element_size(decoder);
    case DUPLICATE: return decoder->vector == 16 ? 8 : decoder->vector;
    case OPMASK: return opmask(decoder);
    case EXPAND:
    case EXPAND_SMALL: return decoder->vector;
    default: return fixed[width];
    }
}

/* EVEX counts displacements of one byte in this unit. */
static unsigned unit_of(const struct decoder *decoder) {
    enum x86_width width = decoder->row->width;
    if (decoder->encoding != EVEX) return 1;
    if (width == EXPAND || (decoder->row->form & INDEXED)) return decoder->wide ? 8 : 4;
    if (width == EXPAND_SMALL) return decoder->wide ? 2 : 1;
    return width_of(decoder, width);
}

/* ---- operands ---- */

static struct x86_memory *add_memory(struct decoder *decoder, uint8_t base, unsigned width,
                                     uint8_t access) {
    struct x86_memory *memory = &decoder->out->memory[decoder->out->memories++];
    memory->base = base;
    memory->index = memory->bits = X86_NO_REGISTER;
    memory->scale = 1;
    memory->width = (uint16_t)width;
    memory->access = access;
    memory->narrow = decoder->narrow;
    return memory;
}

static void scaled(struct decoder *decoder, struct x86_memory *memory, unsigned mode) {
    uint8_t sib = next(decoder);
    uint8_t index = (sib >> 3 & 7) | decoder->index_high;
    memory->vector = (decoder->row->form & INDEXED) != 0;
    memory->base = (sib & 7) == 5 && !mode ? X86_NO_REGISTER : (sib & 7) | decoder->base_high;
    if (memory->vector && decoder->encoding == EVEX) index |= decoder->index_highest;
    if (!memory->vector && index == X86_RSP) return;
    memory->index = index;
    memory->scale = (uint8_t)(1u << (sib >> 6));
}

static void explicit_memory(struct decoder *decoder, uint8_t modrm) {
    const struct x86_row *row = decoder->row;
    unsigned mode = modrm >> 6, base = modrm & 7u;
    struct x86_memory *memory = add_memory(decoder, (uint8_t)(base | decoder->base_high),
                                           width_of(decoder, row->width), row->access);
    memory->segment = decoder->segment;
    memory->partial = decoder->masked || (row->form & MASKED) || row->width == EXPAND ||
                      row->width == EXPAND_SMALL;
    if (base == 4) scaled(decoder, memory, mode);
    if (base == 5 && mode == 0) memory->base = X86_RIP;
    if (mode == 1) memory->displacement = number(decoder, 1) * (int64_t)unit_of(decoder);
    if (mode == 2 || (mode == 0 && (memory->base == X86_RIP || memory->base == X86_NO_REGISTER)))
        memory->displacement = number(decoder, 4);
    if (row->act == BITS) memory->bits = (modrm >> 3 & 7) | decoder->reg_high;
}

static void immediates(struct decoder *decoder) {
    unsigned form = decoder->row->form;
    int64_t value = 0;
    if (form & IMMEDIATE_2) value = number(decoder, 2);
    if (form & IMMEDIATE_1)
        value = form & IMMEDIATE_2 ? (number(decoder, 1), value) : number(decoder, 1);
    if (form & IMMEDIATE_4) value = number(decoder, 4);
    if (form & (IMMEDIATE_OPERAND | IMMEDIATE_WIDE)) {
        unsigned bytes = operand_size(decoder);
        value = number(decoder, bytes == 8 && !(form & IMMEDIATE_WIDE) ? 4 : bytes);
    }
    decoder->out->immediate = value;
}

/* ---- what an instruction does beside its explicit operand ---- */

static void push(struct decoder *decoder, unsigned width) {
    struct x86_memory *memory = add_memory(decoder, X86_RSP, width, X86_WRITE);
    memory->displacement = -(int64_t)width;
    memory->narrow = 0;
}

static void pop(struct decoder *decoder, uint8_t base, unsigned width) {
    /* The address of an explicit operand is computed after the stack pointer has moved. */
    struct x86_memory *target = &decoder->out->memory[0];
    if (decoder->out->memories && target->base == X86_RSP) target->displacement += width;
    add_memory(decoder, base, width, X86_READ)->narrow = 0;
}

static void absolute(struct decoder *decoder, unsigned width) {
    struct x86_memory *memory = add_memory(decoder, X86_NO_REGISTER, width, decoder->row->access);
    memory->displacement =
        decoder->narrow ? (int64_t)(uint32_t)number(decoder, 4) : number(decoder, 8);
    memory->segment = decoder->segment;
}

/* rsi may have another segment; rdi may not. */
static void source(struct decoder *decoder, uint8_t base, unsigned width) {
    add_memory(decoder, base, width, X86_READ)->segment = decoder->segment;
}

static void act_on_memory(struct decoder *decoder, unsigned width) {
    const struct x86_row *row = decoder->row;
    switch ((enum x86_act)row->act) {
    case PUSH:
    case ENTER: push(decoder, width); break;
    case CALL: push(decoder, 8); break;
    case POP: pop(decoder, X86_RSP, width); break;
    case RETURN:
        if (width) pop(decoder, X86_RSP, width);
        break;
    case LEAVE: pop(decoder, X86_RBP, width); break;
    case STRING_COPY:
        source(decoder, X86_RSI, width);
        add_memory(decoder, X86_RDI, width, X86_WRITE);
        break;
    case STRING_COMPARE:
        source(decoder, X86_RSI, width);
        add_memory(decoder, X86_RDI, width, X86_READ);
        break;
    case STRING_READ: source(decoder, X86_RSI, width); break;
    case STRING_WRITE:
    case STRING_SCAN: add_memory(decoder, X86_RDI, width, row->access); break;
    case ABSOLUTE: absolute(decoder, width); break;
    case TRANSLATE:
        source(decoder, X86_RBX, width);
        decoder->out->memory[0].index = X86_AL;
        break;
    case MASK_MOVE: {
        struct x86_memory *memory = add_memory(decoder, X86_RDI, width, X86_WRITE);
        memory->segment = decoder->segment;
        memory->partial = 1;
        break;
    }
    case LINE_MOVE:
        add_memory(decoder, (decoder->out->modrm >> 3 & 7) | decoder->reg_high, width, X86_WRITE);
        break;
    default: break;
    }
}

static void act(struct decoder *decoder) {
    static const uint8_t kinds[] = {[CALL] = X86_CALL,
                                    [RETURN] = X86_RETURN,
                                    [JUMP] = X86_JUMP,
                                    [CONDITION] = X86_CONDITIONAL,
                                    [SYSTEM] = X86_SYSTEM_CALL,
                                    [TRAP] = X86_TRAP,
                                    [BITS] = 0};
    struct x86_instruction *out = decoder->out;
    unsigned act_of = decoder->row->act;
    out->kind = kinds[act_of];
    out->direct = (act_of == CALL || act_of == JUMP || act_of == CONDITION) &&
                  (decoder->row->form & (IMMEDIATE_1 | IMMEDIATE_4));
    out->repeated = act_of >= STRING_READ && act_of <= STRING_SCAN && decoder->repeat;
    act_on_memory(decoder, width_of(decoder, decoder->row->width));
}

/* ---- all of it ---- */

static int decode(struct decoder *decoder) {
    struct x86_instruction *out = decoder->out;
    out->opcode = opcode(decoder);
    out->map = (uint8_t)decoder->map;
    decoder->row = decoder->cut ? NULL : row_of(decoder);
    if (!decoder->row) return 0;
    if (decoder->row->form & MODRM) {
        out->modrm = next(decoder);
        if (out->modrm < 0xc0 && !(decoder->row->form & REGISTERS))
            explicit_memory(decoder, out->modrm);
    }
    act(decoder);
    immediates(decoder);
    out->length = (uint8_t)decoder->at;
    return !decoder->cut;
}

int x86_decode(const uint8_t *code, unsigned size, struct x86_instruction *instruction) {
    static const struct x86_instruction nothing;
    struct decoder decoder = {.code = code, .out = instruction};
    decoder.size = size < X86_LENGTH_MOST ? size : X86_LENGTH_MOST;
    *instruction = nothing;
    if (decode(&decoder)) return 1;
    *instruction = nothing;
    return 0;
}

static uint64_t value_of(const struct x86_registers *registers, uint8_t which) {
    if (which == X86_AL) return registers->general[X86_RAX] & 0xff;
    return which < 16 ? registers->general[which] : 0;
}

uint64_t x86_address(const struct x86_instruction *instruction, const struct x86_memory *memory,
                     const struct x86_registers *registers) {
    uint64_t address = (uint64_t)memory->displacement + value_of(registers, memory->base);
    if (memory->base == X86_RIP) address += registers->rip + instruction->length;
    if (!memory->vector) address += value_of(registers, memory->index) * memory->scale;
    if (memory->bits < 16) {
        int64_t bit = (int64_t)registers->general[memory->bits];
        if (memory->width == 4) bit = (int32_t)bit;
        if (memory->width == 2) bit = (int16_t)bit;
        address += (uint64_t)((bit >> 3) & -(int64_t)memory->width);
    }
    if (memory->narrow) address = (uint32_t)address;
    if (memory->segment == X86_FS) address += registers->fs;
    if (memory->segment == X86_GS) address += registers->gs;
    return address;
}
