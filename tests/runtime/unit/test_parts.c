/* modules: origins/parts os/os */
/* The nodes of bytes that share a cell, against a model with a node and a value for each byte. */
#include "../../../runtime/origins/parts.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define UNIT (1u << WH_ORIGIN_UNIT_SHIFT)
#define CELLS 6u
#define BYTES (CELLS * UNIT)

static cell cells[CELLS];
static uint8_t memory[BYTES] __attribute__((aligned(8)));
static struct {
    uint32_t node;
    uint8_t value; /* as it was last stored */
} model[BYTES];

static unsigned below(unsigned most) { return (unsigned)rand() % most; }

static uintptr_t address_of(unsigned at) { return (uintptr_t)memory + at; }

/* Some bytes of one cell. */
static unsigned choose(unsigned *count) {
    unsigned at = below(BYTES);
    *count = 1 + below(UNIT - at % UNIT);
    return at;
}

static uint32_t value_at(unsigned at, unsigned count) {
    uint32_t value = 0;
    memcpy(&value, memory + at, count);
    return value;
}

static void stored(unsigned at, unsigned count, uint32_t node) {
    for (unsigned i = at; i < at + count; i++) {
        model[i].node = node;
        model[i].value = memory[i];
    }
}

/* The program stores a few values, so that bytes are often equal by chance. */
static void change(void) {
    unsigned count, at = choose(&count);
    uint32_t node = 1 + below(3), value = below(3) * 0x01020301u;
    unsigned kind = below(8);
    if (kind == 0) { /* code that is not seen */
        memory[at] = (uint8_t)below(4);
        return;
    }
    if (kind == 1) { /* a value that has a cell of its own, or memory that begins anew */
        at = at / UNIT * UNIT, count = UNIT;
        if (below(2)) node = 0;
    }
    memcpy(memory + at, &value, count);
    stored(at, count, node);
    if (count < UNIT) {
        parts_put(&cells[at / UNIT], address_of(at), count, value, node);
        return;
    }
    cells[at / UNIT] = node ? (uint64_t)value << 32 | node : 0;
    if (!node)
        for (unsigned i = at; i < at + UNIT; i++) model[i].value = 0;
}

static uint32_t expected(unsigned at, unsigned count) {
    for (unsigned i = at; i < at + count; i++)
        if (model[i].node != model[at].node || model[i].value != memory[i]) return 0;
    return model[at].node;
}

static void look(void) {
    unsigned count, at = choose(&count), some = 0;
    const cell *of = &cells[at / UNIT];
    CHECK_EQUAL(parts_node(of, address_of(at), count, value_at(at, count)), expected(at, count));
    for (unsigned i = at; i < at + count; i++) some |= model[i].node;
    CHECK_EQUAL(parts_stored(of, address_of(at), count), some != 0);
    CHECK_EQUAL(parts_of_byte(of, address_of(at)), model[at].node);
}

int main(void) {
    uintptr_t begin;
    size_t size;
    srand(1);
    CHECK_EQUAL(parts_init(&begin, &size), 0);
    for (unsigned i = 0; i < 200000; i++) {
        change();
        look();
    }
    return 0;
}
