#include "reserve.h"
#include "heap.h"
#include "loader.h"
#include "../blocks/blocks.h"
#include "../port/port.h"
#include "../settings/options.h"

void reserve_heap(void) {
    uintptr_t begin;
    size_t size;
    uint32_t depth = (uint32_t)options.quarantine_depth;
    blocks_reserved = wh_round_down(options.heap_start_kib << 10, OS_PAGE);
    long result = heap_init(options.quarantine_kib << 10, depth, &begin, &size);
    if (result < 0) port_no_range("heap", result, begin, size);
    result = blocks_init(&begin, &size);
    if (result < 0) port_no_range("block table", result, begin, size);
    result = loader_reserve();
    if (result < 0) port_no_range("loader", result, WH_LOADER_BASE, WH_LOADER_SIZE);
}
