/* Slots, without regard to what is in them: cutting, caching, quarantine. */
#ifndef WHENCE_ALLOC_SLOTS_H
#define WHENCE_ALLOC_SLOTS_H

#include "../os/invariant.h"
#include "../os/mem.h"
#include "heap.h"

/* Where each shift's slots stand in a cache. */
struct slots_share {
    uint16_t at, capacity;
};
extern const struct slots_share slots_share[HEAP_CACHED_SHIFTS];

/* The rare cases of the two functions below. */
uint64_t slots_take_slowly(struct heap_cache *cache, unsigned shift);
void slots_give_slowly(struct heap_cache *cache, unsigned shift, uint64_t index);
/* Makes room for ready slots. */
void slots_spill(struct heap_cache *cache, unsigned shift);
/* No slot that these whole pages lie in is taken again, nor touched if it is held back. */
void slots_claim(uintptr_t begin, uintptr_t end);
/* Makes some more of each region accessible, because the system will soon allow that no more. */
void slots_open_ahead(void);

/* A slot that was cut, in which no block lives: all that caches, lists and quarantines hold. */
static inline int slot_is_free(unsigned shift, uint64_t index) {
    return index && index < blocks_cut[shift] && block_record(shift, index)->state != WH_BLOCK_LIVE;
}

/* A slot that is ready in the cache; 0 if there is none. */
static inline uint64_t slots_take_ready(struct heap_cache *cache, unsigned shift) {
    for (;;) {
        unsigned count = cache->ready[shift];
        if (WH_UNLIKELY(!count)) return 0;
        cache->ready[shift] = (uint8_t)--count;
        const uint32_t *slot = &cache->ready_slots[slots_share[shift].at + count];
        uint64_t index = *slot;
        WH_INVARIANT(slot_is_free(shift, index));
        /* The next request needs the record of the one before, which no cache may have. */
        if (count) __builtin_prefetch(block_record(shift, slot[-1]), 1);
        if (WH_LIKELY(!slot_claimed(shift, index))) return index;
    }
}

/* A slot to put a block in; 0 if there is none. */
static inline uint64_t slots_take(struct heap_cache *cache, unsigned shift) {
    uint64_t index = WH_LIKELY(shift < HEAP_CACHED_SHIFTS) ? slots_take_ready(cache, shift) : 0;
    return WH_LIKELY(index) ? index : slots_take_slowly(cache, shift);
}

/* What the youngest freed block pushes out of the thread's own quarantine becomes ready. */
static inline void slots_give_own(struct heap_cache *cache, unsigned shift, uint64_t index) {
    unsigned at = cache->freed[shift];
    uint32_t oldest = cache->own[shift][at];
    WH_INVARIANT(at < cache->depth && oldest != index);
    cache->own[shift][at] = (uint32_t)index;
    cache->freed[shift] = (uint8_t)(at + 1 < cache->depth ? at + 1 : 0);
    if (!oldest) return;
    if (WH_UNLIKELY(cache->ready[shift] == slots_share[shift].capacity)) slots_spill(cache, shift);
    WH_INVARIANT(cache->ready[shift] < slots_share[shift].capacity);
    cache->ready_slots[slots_share[shift].at + cache->ready[shift]++] = oldest;
}

/* Puts the slot of a freed block under quarantine. */
static inline void slots_give(struct heap_cache *cache, unsigned shift, uint64_t index) {
    if (WH_LIKELY(cache->state == HEAP_CACHE_OWN && shift < HEAP_CACHED_SHIFTS))
        slots_give_own(cache, shift, index);
    else
        slots_give_slowly(cache, shift, index);
}

#endif
