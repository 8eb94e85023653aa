#include "parts.h"
#include "../os/mem.h"
#include "../planes/chunks.h"

#define UNIT (1u << WH_ORIGIN_UNIT_SHIFT)

struct parts {
    uint32_t nodes[UNIT]; /* of the bytes */
};
_Static_assert(sizeof(struct parts) == 1u << WH_ORIGIN_PARTS_CELL_SHIFT, "they are a cell");

struct bits {
    uint32_t nodes[UNIT][8]; /* of the bits of each byte, the lowest first */
};
_Static_assert(sizeof(struct bits) == 1u << WH_ORIGIN_BITS_CELL_SHIFT, "they are a cell");

static uint64_t used;
static const struct chunk_plane plane = {
    .table = WH_ORIGIN_PARTS_TABLE,
    .chunks = WH_ORIGIN_PARTS_BASE,
    .size = WH_ORIGIN_PARTS_SIZE,
    .unit_shift = WH_ORIGIN_UNIT_SHIFT,
    .chunk_shift = WH_ORIGIN_CHUNK_SHIFT,
    .cell_shift = WH_ORIGIN_PARTS_CELL_SHIFT,
    .used = &used,
};

static uint64_t bits_used;
static const struct chunk_plane bits_plane = {
    .table = WH_ORIGIN_BITS_TABLE,
    .chunks = WH_ORIGIN_BITS_BASE,
    .size = WH_ORIGIN_BITS_SIZE,
    .unit_shift = WH_ORIGIN_UNIT_SHIFT,
    .chunk_shift = WH_ORIGIN_CHUNK_SHIFT,
    .cell_shift = WH_ORIGIN_BITS_CELL_SHIFT,
    .used = &bits_used,
};

long parts_init(uintptr_t *begin, size_t *size) {
    long result = chunks_reserve(&plane, begin, size);
    return result < 0 ? result : chunks_reserve(&bits_plane, begin, size);
}

/* The bits of some bytes of a cell's four. */
static uint32_t mask_of(unsigned at, unsigned count) {
    uint64_t bits = (1ull << (8 * count)) - 1;
    return (uint32_t)(bits << (8 * at));
}

/* The bytes of a cell that had one node, or none. Of a value of which other code has changed a part
 * the rest is still there. */
static struct parts *divide(cell *of, uintptr_t address) {
    struct parts *parts = chunk_cell(&plane, address, 1);
    if (parts && !cell_is_divided(*of))
        for (unsigned i = 0; i < UNIT; i++) parts->nodes[i] = cell_node(*of);
    return parts;
}

void parts_put(cell *of, uintptr_t address, unsigned count, uint32_t value, uint32_t node) {
    unsigned at = address % UNIT;
    struct parts *parts = divide(of, address);
    if (!parts) {
        *of = 0;
        return;
    }
    for (unsigned i = 0; i < count; i++) parts->nodes[at + i] = node;
    uint32_t mask = mask_of(at, count), bytes = cell_bytes(*of);
    bytes = (bytes & ~mask) | ((uint32_t)((uint64_t)value << (8 * at)) & mask);
    *of = cell_make(WH_ORIGIN_PARTS, bytes);
}

static uint32_t *bits_of(uintptr_t address, int make) {
    struct bits *bits = chunk_cell(&bits_plane, address, make);
    return bits ? bits->nodes[address % UNIT] : NULL;
}

/* What stands for a byte's node: WH_ORIGIN_PARTS, if its bits have nodes of their own. */
static uint32_t mark_of(const cell *of, uintptr_t address) {
    if (!cell_is_divided(*of)) return cell_node(*of);
    const struct parts *parts = chunk_cell(&plane, address, 0);
    return parts ? parts->nodes[address % UNIT] : 0;
}

const uint32_t *parts_bits(const cell *of, uintptr_t address) {
    return mark_of(of, address) == WH_ORIGIN_PARTS ? bits_of(address, 0) : NULL;
}

/* The node that some bits of a byte have, 0 if they have several or none. */
static uint32_t node_of_bits(const cell *of, uintptr_t address, uint8_t mask) {
    const uint32_t *bits = parts_bits(of, address);
    if (!bits) return mark_of(of, address);
    uint32_t node = bits[__builtin_ctz(mask)];
    for (unsigned i = 0; i < 8; i++)
        if (mask >> i & 1 && bits[i] != node) return 0;
    return node;
}

uint32_t parts_of_byte(const cell *of, uintptr_t address) {
    return node_of_bits(of, address, 0xff);
}

int parts_hold(const cell *of, uintptr_t address, unsigned count, uint32_t value) {
    unsigned at = address % UNIT;
    uint32_t stored = cell_bytes(*of), wanted = (uint32_t)((uint64_t)value << (8 * at));
    return !((stored ^ wanted) & mask_of(at, count));
}

uint32_t parts_node(const cell *of, uintptr_t address, unsigned count, uint32_t value) {
    if (!parts_hold(of, address, count, value)) return 0;
    uint32_t node = parts_of_byte(of, address);
    for (unsigned i = 1; i < count && node; i++)
        if (parts_of_byte(of, address + i) != node) node = 0;
    return node;
}

int parts_stored(const cell *of, uintptr_t address, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (parts_stored_bits(of, address + i, 0xff)) return 1;
    return 0;
}

/* ---- bit-fields ---- */

void parts_put_bits(cell *of, uintptr_t address, uint8_t mask, uint8_t byte, uint32_t node) {
    unsigned at = address % UNIT;
    struct parts *parts = divide(of, address);
    uint32_t *bits = parts ? bits_of(address, 1) : NULL;
    if (!bits) {
        *of = 0;
        return;
    }
    int is_divided = parts->nodes[at] == WH_ORIGIN_PARTS;
    for (unsigned i = 0; i < 8; i++)
        if (mask >> i & 1 || !is_divided) bits[i] = mask >> i & 1 ? node : parts->nodes[at];
    parts->nodes[at] = WH_ORIGIN_PARTS;
    uint32_t changed = (uint32_t)mask << (8 * at);
    uint32_t bytes = (cell_bytes(*of) & ~changed) | ((uint32_t)byte << (8 * at) & changed);
    *of = cell_make(WH_ORIGIN_PARTS, bytes);
}

uint32_t parts_node_bits(const cell *of, uintptr_t address, uint8_t mask, uint8_t byte) {
    if ((cell_bytes(*of) >> 8 * (address % UNIT) ^ byte) & mask) return 0;
    return node_of_bits(of, address, mask);
}

int parts_stored_bits(const cell *of, uintptr_t address, uint8_t mask) {
    const uint32_t *bits = parts_bits(of, address);
    if (!bits) return mark_of(of, address) != 0;
    for (unsigned i = 0; i < 8; i++)
        if (mask >> i & 1 && bits[i]) return 1;
    return 0;
}
