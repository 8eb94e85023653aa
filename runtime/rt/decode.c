#include "decode.h"

#define REX_B 1u
#define REX_X 2u

struct cursor {
    const uint8_t *code;
    unsigned at, size;
};

/* The next byte, 0 at the end; callers check the end once, at last. */
static uint8_t next(struct cursor *cursor) {
    uint8_t byte = cursor->at < cursor->size ? cursor->code[cursor->at] : 0;
    cursor->at++;
    return byte;
}

static int64_t displacement(struct cursor *cursor, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)next(cursor) << (8 * i);
    return bytes == 1 ? (int8_t)value : bytes == 4 ? (int32_t)value : 0;
}

static uint8_t skip_prefixes(struct cursor *cursor, uint8_t *rex) {
    uint8_t byte = next(cursor);
    while (byte == 0x66 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3) byte = next(cursor);
    *rex = 0;
    if (byte >> 4 != 4) return byte;
    *rex = byte;
    return next(cursor);
}

/* Whether an opcode of the first map is followed by a ModRM byte. */
static int has_operand(uint8_t opcode) {
    if (opcode < 0x40) return (opcode & 7) < 4;
    switch (opcode) {
    case 0x63:
    case 0x69:
    case 0x6b:
    case 0x80:
    case 0x81:
    case 0x83:
    case 0x84:
    case 0x85:
    case 0x86:
    case 0x87:
    case 0x88:
    case 0x89:
    case 0x8a:
    case 0x8b:
    case 0x8f:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xc7:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
    case 0xf6:
    case 0xf7:
    case 0xfe:
    case 0xff: return 1;
    default: return opcode >= 0xd8 && opcode <= 0xdf;
    }
}

static uint64_t scaled(struct cursor *cursor, uint8_t rex, unsigned mode,
                       const struct decode_registers *registers) {
    uint8_t sib = next(cursor);
    unsigned index = ((sib >> 3) & 7u) | (rex & REX_X ? 8u : 0);
    unsigned base = (sib & 7u) | (rex & REX_B ? 8u : 0);
    uint64_t address = index == 4 ? 0 : registers->general[index] << (sib >> 6);
    if ((sib & 7u) == 5 && mode == 0) return address + (uint64_t)displacement(cursor, 4);
    return address + registers->general[base];
}

int decode_operand(const uint8_t *code, unsigned size, const struct decode_registers *registers,
                   uint64_t rip, uint64_t *address) {
    struct cursor cursor = {code, 0, size};
    uint8_t rex, opcode = skip_prefixes(&cursor, &rex);
    if (opcode == 0x0f) { /* the second and third maps nearly always have one */
        opcode = next(&cursor);
        if (opcode == 0x38 || opcode == 0x3a) next(&cursor);
    } else if (!has_operand(opcode)) {
        return 0;
    }
    uint8_t modrm = next(&cursor);
    unsigned mode = modrm >> 6, base = modrm & 7u;
    if (mode == 3) return 0;
    if (base == 4)
        *address = scaled(&cursor, rex, mode, registers);
    else if (base == 5 && mode == 0)
        *address = (uint64_t)displacement(&cursor, 4) + rip + cursor.at;
    else
        *address = registers->general[base | (rex & REX_B ? 8u : 0)];
    if (mode == 1) *address += (uint64_t)displacement(&cursor, 1);
    if (mode == 2) *address += (uint64_t)displacement(&cursor, 4);
    return cursor.at <= size;
}
