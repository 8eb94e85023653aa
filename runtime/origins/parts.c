#include "parts.h"
#include "../os/mem.h"
#include "../planes/chunks.h"

#define UNIT (1u << WH_ORIGIN_UNIT_SHIFT)

struct parts {
    uint32_t nodes[UNIT]; /* of the bytes */
};
_Static_assert(sizeof(struct parts) == 1u << WH_ORIGIN_PARTS_CELL_SHIFT, "they are a cell");

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

long parts_init(uintptr_t *begin, size_t *size) { return chunks_reserve(&plane, begin, size); }

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

uint32_t parts_of_byte(const cell *of, uintptr_t address) {
    if (!cell_is_divided(*of)) return cell_node(*of);
    const struct parts *parts = chunk_cell(&plane, address, 0);
    return parts ? parts->nodes[address % UNIT] : 0;
}

uint32_t parts_node(const cell *of, uintptr_t address, unsigned count, uint32_t value) {
    unsigned at = address % UNIT;
    uint32_t stored = cell_bytes(*of), wanted = (uint32_t)((uint64_t)value << (8 * at));
    if ((stored ^ wanted) & mask_of(at, count)) return 0;
    uint32_t node = parts_of_byte(of, address);
    for (unsigned i = 1; i < count && node; i++)
        if (parts_of_byte(of, address + i) != node) node = 0;
    return node;
}

int parts_stored(const cell *of, uintptr_t address, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (parts_of_byte(of, address + i)) return 1;
    return 0;
}
