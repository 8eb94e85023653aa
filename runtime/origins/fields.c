/* The origins of bit-fields, which share bytes with others. */
#include "../include/whence/origins.h"
#include "../process/kind.h"
#include "../values/ranges.h"
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

/* Whether all bits of a field are undefined. */
static int is_undefined(uintptr_t address, uint64_t mask) {
    if (!VALUES_ON) return 0;
    unsigned size = 8 - (unsigned)__builtin_clzll(mask) / 8;
    return (__whence_value_load(address, size).bits & mask) == mask;
}

static void log_field(uintptr_t address, uint64_t mask, uint32_t node) {
    unsigned first = (unsigned)__builtin_ctzll(mask) / 8;
    log_range(address + first, 8 - (unsigned)__builtin_clzll(mask) / 8 - first, node);
}

WH_EXPORT void __whence_origin_keep_field(uint64_t address, uint64_t mask, uint64_t unit,
                                          uint32_t node) {
    put_field(address, mask, unit, node);
    log_field(address, mask, node);
}

WH_EXPORT uint32_t __whence_origin_field(struct whence_origin_site *site, uint64_t address,
                                         uint64_t mask, uint64_t unit) {
    uint32_t stored = node_of_field(address, mask, unit);
    if (stored) return node_tag(stored) == node_tag(node_own()) ? stored : node_cross(site, stored);
    int initial = !is_stored(address, mask) && kind_of(address) == WH_KIND_GLOBAL;
    uint32_t flags = initial ? WH_NODE_INITIAL : WH_NODE_UNSEEN;
    if (is_undefined(address, mask)) flags = WH_NODE_UNDEFINED;
    uint32_t node = node_make(site, node_own(), flags);
    put_field(address, mask, unit, node);
    return node;
}
