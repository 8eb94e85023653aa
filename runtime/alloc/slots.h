/* Slots, without regard to what is in them: cutting, caching, quarantine. */
#ifndef WHENCE_ALLOC_SLOTS_H
#define WHENCE_ALLOC_SLOTS_H

#include "heap.h"

/* A slot to put a block in; index 0 if there is none. */
uint64_t slots_take(struct heap_cache *cache, unsigned shift);

/* Puts the slot of a freed block under quarantine. */
void slots_give(struct heap_cache *cache, unsigned shift, uint64_t index);

/* A slot that can hold a block of HEAP_GIVE_BACK bytes leaves the quarantine;
 * called with the class locked. */
void heap_evicted_large(unsigned shift, uint64_t index);

#endif
