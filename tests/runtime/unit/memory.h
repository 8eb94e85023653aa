/* Planes, heap and block table, for tests of what works on blocks. */
#ifndef WH_UNIT_MEMORY_H
#define WH_UNIT_MEMORY_H

#include "../../../runtime/alloc/heap.h"
#include "../../../runtime/planes/planes.h"
#include "../../../runtime/port/port.h"
#include "unit.h"

void port_before_share(void) {}
void port_after_share(void) {}

static inline void begin_memory(void) {
    uintptr_t begin;
    size_t size;
    CHECK_EQUAL(planes_init(&begin, &size), 0);
    CHECK_EQUAL(heap_init(1 << 20, 8, &begin, &size), 0);
    CHECK_EQUAL(blocks_init(&begin, &size), 0);
}

#endif
