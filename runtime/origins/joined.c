#include "joined.h"
#include "../include/whence/origins.h"
#include "cells.h"
#include "passing.h"
#include "written.h"

#define ENTRIES_SHIFT 8

/* Threads whose results have nodes. A later thread may have the handle of an earlier one, and two
 * may share an entry: the value shows whose it is. */
static struct entry {
    uint64_t thread, value;
    uint32_t node;
} entries[1u << ENTRIES_SHIFT];

static struct entry *entry_of(uint64_t thread) {
    return &entries[thread * WH_ORIGIN_LATELY_HASH >> (64 - ENTRIES_SHIFT)];
}

static void end(uint64_t thread, uint64_t value, uint32_t node) {
    *entry_of(thread) = (struct entry){thread, value, node};
}

void joined_returned(uint64_t thread, uint64_t function, uint64_t value) {
    const struct whence_origin_passed *own = &__whence_origins.passed;
    int is_known = own->returned == function && own->result >> 32 == (uint32_t)value;
    end(thread, value, is_known ? (uint32_t)own->result : 0);
}

void joined_left(uint64_t thread, uint64_t value) { end(thread, value, origins_passed(0, value)); }

void joined_received(const char *function, uint64_t thread, uintptr_t to) {
    const struct entry entry = *entry_of(thread);
    struct whence_origin_site *call = written_call(function);
    if (!call || entry.thread != thread || !entry.node || *(const uint64_t *)to != entry.value)
        return;
    cells_set(call, node_cross(call, entry.node), to, sizeof entry.value);
}
