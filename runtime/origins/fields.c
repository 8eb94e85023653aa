/* The origins of bit-fields, which share bytes with others. */
#include "../include/whence/origins.h"
#include "../definedness/ranges.h"
#include "cells.h"
#include "log.h"
#include "parts.h"

static uint8_t byte_of(uint64_t word, unsigned at) { return (uint8_t)(word >> 8 * at); }

static void put_field(uintptr_t address, uint64_t mask, uint64_t unit, uint32_t node) {
    for (unsigned at = 0; at < sizeof mask; at++) {
        uint8_t bits = byte_of(mask, at);
        cell *of = bits ? cells_at(address + at, node != 0) : NULL;
        if (!of || !(node || *of)) continue;
        if (bits == 0xff)
            parts_put(of, address + at, 1, byte_of(unit, at), node);
        else
            parts_put_bits(of, address + at, bits, byte_of(unit, at), node);
    }
}

/* The node that all bits of a field have, if they hold what is in the unit; 0 if there is none. */
static uint32_t node_of_field(uintptr_t address, uint64_t mask, uint64_t unit) {
    uint32_t node = 0;
    for (unsigned at = 0; at < sizeof mask; at++) {
        uint8_t bits = byte_of(mask, at);
        if (!bits) continue;
        const cell *of = cells_at(address + at, 0);
        uint32_t found = of ? parts_node_bits(of, address + at, bits, byte_of(unit, at)) : 0;
        if (!found || (node && found != node)) return 0;
        node = found;
    }
    return node;
}

/* Whether something that is followed was stored in some of a field's bits. */
static int is_stored(uintptr_t address, uint64_t mask) {
    for (unsigned at = 0; at < sizeof mask; at++) {
        uint8_t bits = byte_of(mask, at);
        const cell *of = bits ? cells_at(address + at, 0) : NULL;
        if (of && parts_stored_bits(of, address + at, bits)) return 1;
    }
    return 0;
}

/* The bytes of a unit that a field has bits of: the first one's place, and the end. */
static unsigned first_byte(uint64_t mask) { return (unsigned)__builtin_ctzll(mask) / 8; }

static unsigned end_byte(uint64_t mask) { return 8 - (unsigned)__builtin_clzll(mask) / 8; }

/* Whether all bits of a field are undefined. */
static int is_undefined(uintptr_t address, uint64_t mask) {
    return VALUES_ON && (__whence_value_load(address, end_byte(mask)).bits & mask) == mask;
}

WH_EXPORT void __whence_origin_keep_field(uint64_t address, uint64_t mask, uint64_t unit,
                                          uint32_t node) {
    put_field(address, mask, unit, node);
    log_range(address + first_byte(mask), end_byte(mask) - first_byte(mask), node);
}

WH_EXPORT uint32_t __whence_origin_field(struct whence_origin_site *site, uint64_t address,
                                         uint64_t mask, uint64_t unit) {
    uint32_t stored = node_of_field(address, mask, unit);
    unsigned first = first_byte(mask), size = end_byte(mask) - first;
    if (stored) return cells_own(site, stored, address + first, size);
    uint32_t node =
        cells_born(site, address + first, size, unit >> 8 * first, is_stored(address, mask),
                   is_undefined(address, mask) ? WH_NODE_UNDEFINED : 0);
    put_field(address, mask, unit, node);
    return node;
}
