/* The way of nearly all requests and frees in a library that only places blocks: small
 * ones, served by the thread's cache. It is made to be inlined; what it declines, heap.h does, and
 * with the same result. Elsewhere it declines everything. */
#ifndef WHENCE_ALLOC_QUICK_H
#define WHENCE_ALLOC_QUICK_H

#include "heap.h"
#include "slots.h"

/* The largest block of a slot that passes through caches. */
#define QUICK_MOST ((1ull << (HEAP_CACHED_SHIFTS - 1)) - WH_RED_ZONE)
/* Up to here words are quicker to fill than the processor's instruction is to begin. */
#define QUICK_FILL 512u

static inline void quick_zero(uintptr_t begin, uint64_t size) {
    if (size > QUICK_FILL)
        wh_fill((void *)begin, 0, size);
    else /* the block's last granule is its own */
        wh_fill_words((void *)begin, 0, (size + WH_GRANULE - 1) / WH_GRANULE);
}

/* A block's begin, aligned to 16 bytes; 0 if this is not the place for it. */
static inline uintptr_t quick_new(struct heap_cache *cache, uint64_t size, uint8_t family,
                                  int zeroed) {
    if (PORT_CHECKS || WH_UNLIKELY(size > QUICK_MOST)) return 0;
    unsigned shift = compact_shift(size, WH_RED_ZONE);
    uint64_t index = slots_take_ready(cache, shift);
    if (WH_UNLIKELY(!index)) return 0;
    struct block_record *record = block_record(shift, index);
    uint64_t offset = compact_offset(shift, index, size, WH_RED_ZONE);
    uintptr_t begin = slot_begin(shift, index) + offset;
    int used = block_used(record);
    life_begin(record, 0, size, 0, (uint16_t)(offset >> block_unit_shift(shift)),
               life_request(family, 0));
    if (zeroed && used) quick_zero(begin, size);
    return begin;
}

/* Whether it has freed the live block that begins here. */
static inline int quick_release(struct heap_cache *cache, uintptr_t address, uint8_t family) {
    if (PORT_CHECKS || WH_UNLIKELY(cache->state != HEAP_CACHE_OWN)) return 0;
    struct block place = heap_block(address);
    if (WH_UNLIKELY(!place.slot || place.region >= HEAP_CACHED_SHIFTS)) return 0;
    struct block_record *record = block_record(place.region, place.slot);
    if (WH_UNLIKELY(record->state != WH_BLOCK_LIVE || life_family(record) != family ||
                    record_begin(record, place.region, place.slot) != address))
        return 0;
    record->state = WH_BLOCK_FREED;
    slots_give_own(cache, place.region, place.slot);
    return 1;
}

#endif
