/* The geometry of the compact layout: which slot size a block gets, and where it lies in its slot.
 * Shared by the heap of checked processes (heap.h) and by KDAlloc's compact spaces (kdalloc.h). */
#ifndef WHENCE_BLOCKS_COMPACT_H
#define WHENCE_BLOCKS_COMPACT_H

#include <stdint.h>
#include "../os/os.h"
#include "whence_abi.h"

/* From this shift on blocks lie at different distances from their slot's begin ... */
#define HEAP_COLOUR_SHIFT 9u
/* ... and from this one on a whole number of pages from it, so that their pages can be moved. */
#define HEAP_PAGES_SHIFT 20u
#define HEAP_MAX_SIZE ((1ull << WH_MAX_SLOT_SHIFT) - WH_RED_ZONE)
#define HEAP_MAX_ALIGNMENT (1ull << WH_MAX_SLOT_SHIFT)
#define CACHE_LINE_SHIFT 6u

static inline unsigned block_unit_shift(unsigned shift) { return shift <= 20 ? 4 : shift - 16; }

static inline uint64_t block_unit(unsigned shift) { return 1ull << block_unit_shift(shift); }

/* log2 of the slot for a block; 0 if it is too large. */
static inline unsigned compact_shift(uint64_t size, uint64_t alignment) {
    if (size > HEAP_MAX_SIZE || alignment > HEAP_MAX_ALIGNMENT) return 0;
    uint64_t need = size + WH_RED_ZONE;
    if (need < alignment) need = alignment;
    if (need <= 1u << WH_MIN_SLOT_SHIFT) return WH_MIN_SLOT_SHIFT;
    return 64 - (unsigned)__builtin_clzll(need - 1);
}

/* Bytes from the slot's begin to the block's. Equal slots repeat every 4 KiB or more, so their
 * first bytes would all compete for the same few cache sets; the slack of the slot is used to
 * spread them. */
static inline uint64_t compact_offset(unsigned shift, uint64_t index, uint64_t size,
                                      uint64_t alignment) {
    unsigned step = shift < HEAP_PAGES_SHIFT ? CACHE_LINE_SHIFT : OS_PAGE_SHIFT;
    if (shift < HEAP_COLOUR_SHIFT || alignment > 1u << CACHE_LINE_SHIFT ||
        block_unit_shift(shift) > step)
        return 0;
    uint64_t slack = (1ull << shift) - WH_RED_ZONE - size;
    uint64_t spread = shift < 16 ? 4096 : 65536;
    uint64_t colours = ((slack < spread ? slack : spread) >> step) + 1;
    uint32_t hash = (uint32_t)index * 2654435761u;
    return (hash * colours >> 32) << step;
}

#endif
