#include "width.h"

struct parsed {
    const uint8_t *at, *end;
    unsigned map;           /* 0, 1 (0f), 2 (0f 38), 3 (0f 3a) */
    unsigned vector;        /* bytes of a full vector */
    uint8_t opcode, prefix; /* prefix: 0, 0x66, 0xf2 or 0xf3 */
    uint8_t wide, repeated, masked;
};

static int is_legacy_prefix(uint8_t byte) {
    return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0xf0 || byte == 0x67 ||
           byte == 0x64 || byte == 0x65 || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
           byte == 0x26;
}

static const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2};

/* The payload of a VEX or EVEX prefix; 0 if the code ends before. */
static int parse_vector_prefix(struct parsed *code, uint8_t first) {
    unsigned payload = first == 0x62 ? 3 : first == 0xc4 ? 2 : 1;
    if (code->end - code->at < (long)payload + 1) return 0;
    const uint8_t *p = code->at;
    uint8_t last = first == 0x62 ? p[1] : p[payload - 1];
    code->map = first == 0xc5 ? 1 : p[0] & (first == 0x62 ? 7 : 31);
    code->wide = first != 0xc5 && (last & 0x80);
    code->prefix = prefixes[last & 3];
    code->vector = 16u << (first == 0x62 ? (p[2] >> 5 & 3) : (last >> 2 & 1));
    code->masked = first == 0x62 && (p[2] & 0x97); /* a mask, zeroing or broadcast */
    code->at += payload;
    return 1;
}

static int parse(struct parsed *code) {
    while (code->at < code->end && is_legacy_prefix(*code->at)) {
        if (*code->at == 0xf2 || *code->at == 0xf3)
            code->prefix = *code->at;
        else if (*code->at == 0x66 && !code->prefix)
            code->prefix = 0x66;
        code->at++;
    }
    if (code->at < code->end && (*code->at & 0xf0) == 0x40) code->wide = *code->at++ >> 3 & 1;
    if (code->at >= code->end) return 0;
    uint8_t byte = *code->at++;
    if (byte == 0x62 || byte == 0xc4 || byte == 0xc5) {
        if (!parse_vector_prefix(code, byte)) return 0;
        byte = *code->at++;
    } else if (byte == 0x0f) {
        code->map = 1;
        if (code->at >= code->end) return 0;
        byte = *code->at++;
        if (byte == 0x38 || byte == 0x3a) {
            code->map = byte == 0x38 ? 2 : 3;
            if (code->at >= code->end) return 0;
            byte = *code->at++;
        }
    }
    code->opcode = byte;
    return 1;
}

static unsigned operand(const struct parsed *code) {
    return code->wide ? 8 : code->prefix == 0x66 ? 2 : 4;
}

static unsigned extension(const struct parsed *code) {
    return code->at < code->end ? *code->at >> 3 & 7 : 0;
}

/* ---- one-byte opcodes ---- */

static unsigned x87(const struct parsed *code) {
    unsigned reg = extension(code);
    switch (code->opcode) {
    case 0xdb: return reg == 5 || reg == 7 ? 10 : 4;
    case 0xdc:
    case 0xdd: return 8;
    case 0xde: return 2;
    case 0xdf: return reg == 4 || reg == 6 ? 10 : reg == 5 || reg == 7 ? 8 : 2;
    default: return 4;
    }
}

static unsigned width_plain(const struct parsed *code) {
    uint8_t op = code->opcode;
    if (op < 0x40) return (op & 7) > 3 ? 0 : op & 1 ? operand(code) : 1;
    if (op >= 0xd8 && op <= 0xdf) return x87(code);
    switch (op) {
    case 0x63: return 4;
    case 0x8f: return 8;
    case 0xff: return extension(code) == 2 || extension(code) == 6 ? 8 : operand(code);
    case 0x80:
    case 0x84:
    case 0x86:
    case 0x88:
    case 0x8a:
    case 0xc0:
    case 0xc6:
    case 0xd0:
    case 0xd2:
    case 0xf6:
    case 0xfe:
    case 0xa4:
    case 0xa6:
    case 0xaa:
    case 0xac:
    case 0xae: return 1;
    case 0x69:
    case 0x6b:
    case 0x81:
    case 0x83:
    case 0x85:
    case 0x87:
    case 0x89:
    case 0x8b:
    case 0xc1:
    case 0xc7:
    case 0xd1:
    case 0xd3:
    case 0xf7:
    case 0xa5:
    case 0xa7:
    case 0xab:
    case 0xad:
    case 0xaf: return operand(code);
    default: return 0;
    }
}

/* ---- 0f ---- */

static unsigned scalar_or_vector(const struct parsed *code) {
    return code->prefix == 0xf3 ? 4 : code->prefix == 0xf2 ? 8 : code->vector;
}

static unsigned width_0f(const struct parsed *code) {
    uint8_t op = code->opcode;
    if ((op >= 0x40 && op <= 0x4f) || op == 0xaf) return operand(code);
    if (op >= 0x90 && op <= 0x9f) return 1;
    if (op == 0x10 || op == 0x11 || op == 0x51 || (op >= 0x58 && op <= 0x5f) || op == 0xc2)
        return op == 0x5a || op == 0x5b ? 0 : scalar_or_vector(code);
    switch (op) {
    case 0x12:
    case 0x13:
    case 0x16:
    case 0x17: return code->prefix == 0xf3 ? code->vector : code->prefix == 0xf2 ? 0 : 8;
    case 0x28:
    case 0x29:
    case 0x2b:
    case 0x54:
    case 0x55:
    case 0x56:
    case 0x57:
    case 0xf0: return code->vector;
    case 0x2a: return code->prefix >= 0xf2 ? (code->wide ? 8 : 4) : 0;
    case 0x2c:
    case 0x2d: return code->prefix == 0xf3 ? 4 : code->prefix == 0xf2 ? 8 : 0;
    case 0x2e:
    case 0x2f: return code->prefix == 0x66 ? 8 : 4;
    case 0x6e: return code->wide ? 8 : 4;
    case 0x7e: return code->prefix == 0xf3 || code->wide ? 8 : 4;
    case 0x6f:
    case 0x7f:
    case 0xe7: return code->prefix ? code->vector : 8;
    case 0xd6: return 8;
    case 0xb0:
    case 0xb6:
    case 0xbe:
    case 0xc0: return 1;
    case 0xb7:
    case 0xbf: return 2;
    case 0xb1:
    case 0xc1:
    case 0xc3: return operand(code);
    case 0xc7: return extension(code) == 1 ? (code->wide ? 16 : 8) : 0;
    default: break;
    }
    int packed = (op >= 0x60 && op <= 0x6d) || (op >= 0x74 && op <= 0x76) || op >= 0xd8;
    return packed ? (code->prefix == 0x66 ? code->vector : 8) : 0;
}

struct access_shape width_of(const uint8_t *bytes, unsigned size) {
    struct parsed code = {.at = bytes, .end = bytes + size, .vector = 16};
    struct access_shape shape = {0, 0, 0};
    if (!parse(&code) || code.masked) return shape;
    if (code.map == 0) shape.width = width_plain(&code);
    if (code.map == 1) shape.width = width_0f(&code);
    uint8_t base = code.opcode & 0xfe;
    if (code.map == 0 && code.prefix >= 0xf2 && (base == 0xa4 || base == 0xaa)) {
        shape.length = (unsigned)(code.at - bytes);
        shape.operation = base;
    }
    return shape;
}
