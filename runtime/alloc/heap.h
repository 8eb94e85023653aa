/* The allocator: slots of power-of-two size classes, and the blocks in them.
 *
 * A slot of 2**shift bytes holds one block and, after it, at least WH_RED_ZONE
 * poisoned bytes; the end of the slot before is the zone in front. Where the
 * block lies in its slot is a pure function of slot index and size
 * (compact.h). A slot goes round in one direction:
 *
 *     uncut -> [ready in a thread's cache] -> live -> [freed in a cache]
 *       -> quarantine (first in, first out) -> free list -> [ready] ...
 *
 * A slot with pages that the program has mapped or unmapped itself (blocks/claims.h) is dropped
 * where it would be used again.
 *
 * A quarantine that counts blocks alone, and few of them, is kept by each thread for itself:
 *
 *     live -> [quarantine in a cache] -> [ready] or, if those are many, free list
 *
 * Invariants:
 *   - a slot is in exactly one of those places;
 *   - every state byte of a cut slot below HEAP_BIG_SHIFT is poisoned but for
 *     the bytes of its live block;
 *   - slots from HEAP_BIG_SHIFT on are inaccessible to the processor but for
 *     the pages of their block, and poisoned only next to it;
 *   - one thread alone gets the same addresses in every run.
 */
#ifndef WHENCE_ALLOC_HEAP_H
#define WHENCE_ALLOC_HEAP_H

#include <stddef.h>
#include <stdint.h>
#include "../blocks/block.h"
#include "../blocks/compact.h"

/* Slots below this shift pass through thread caches. */
#define HEAP_CACHED_SHIFTS 16u
/* From this shift on exactly the pages of a block are accessible. */
#define HEAP_BIG_SHIFT (PORT_GUARDS ? guard_first_shift : HEAP_PAGES_SHIFT)
/* Whether slots are opened and closed to the processor one by one. */
static inline int heap_seals(unsigned shift) { return PORT_CHECKS && shift >= HEAP_BIG_SHIFT; }
/* Whether the state bytes alone decide which bytes at an address are addressable. They do not where
 * slots are uncut and, from HEAP_BIG_SHIFT on, away from blocks and the program's own memory. */
static inline int heap_state_exact(uintptr_t address) {
    if (!heap_contains(address)) return 1;
    unsigned shift = slot_shift(address);
    uint64_t index = (address & ((1ull << WH_REGION_SHIFT) - 1)) >> shift;
    return shift < HEAP_BIG_SHIFT && index >= region_before(shift) && index < blocks_cut[shift];
}
/* From this size on the memory of a freed block is given back, see pages.h. */
#define HEAP_GIVE_BACK (64ull << 10)
/* A block that grew out of a slot of this shift gets a slot of so many times the size. */
#define HEAP_ROOMY_SHIFT 14u
#define HEAP_ROOM_SHIFT 3u
/* Fewer bytes are copied sooner than moved. */
#define HEAP_MOVED_LEAST (256ull << 10)
/* From this size on a freed block becomes inaccessible instead of poisoned: its
 * state bytes would cost more than 8 MiB. */
#define HEAP_SEAL (64ull << 20)

#define HEAP_CACHE_SLOTS 332u
/* Quarantines of at most so many blocks, and no bytes, need no lock: each thread has its own. */
#define HEAP_OWN_DEPTH 8u

enum heap_cache_state {
    HEAP_CACHE_NEW,    /* zero: the cache is empty and not yet usable */
    HEAP_CACHE_SHARED, /* blocks under quarantine go to their class, many at a time */
    HEAP_CACHE_OWN,    /* they stay in the cache until their slots are ready again */
    HEAP_CACHE_CLOSED, /* the thread is ending: the cache stays empty */
};

/* A thread's own slots. Zero-initialised is valid and empty. */
struct heap_cache {
    uint8_t ready[HEAP_CACHED_SHIFTS]; /* the number of ready slots, by shift */
    uint8_t freed[HEAP_CACHED_SHIFTS]; /* SHARED: the number of freed slots; OWN: the index of the
                                          oldest slot in `own` */
    uint32_t state;                    /* enum heap_cache_state */
    uint32_t depth;                    /* OWN: slots of each shift in quarantine, at least one */
    uint32_t ready_slots[HEAP_CACHE_SLOTS];
    uint32_t freed_slots[HEAP_CACHE_SLOTS];
    uint32_t own[HEAP_CACHED_SHIFTS][HEAP_OWN_DEPTH]; /* a ring each; 0: empty */
};

struct heap_request {
    uint64_t size;
    uint64_t alignment; /* a power of two, at least 16 */
    uint32_t stack;
    uint16_t thread;
    uint8_t family;
    uint8_t zeroed; /* the contents must read as zero */
    uint8_t roomy;  /* the block has grown and may do so again */
    uint64_t given; /* alignment given to operator new, a power of two; 0: none */
};

/* Reserves the heap. 0, or -errno and the range that could not be reserved. */
long heap_init(uint64_t quarantine_bytes, uint32_t quarantine_depth, uintptr_t *begin,
               size_t *size);
void heap_configure(uint64_t quarantine_bytes, uint32_t quarantine_depth);

/* The begin of a new block; 0 if there is no memory for it. Where a size has no more slots, or no
 * mapping for them, the block gets a larger slot. */
uintptr_t heap_new(struct heap_cache *cache, const struct heap_request *request);

/* Changes the size of a live block in place. 0 if the block would have to move. */
int heap_resize(struct block place, uint64_t size);

/* Moves the first `bytes` of one live block to another one by moving their pages. 0 if the bytes
 * must be copied. */
int heap_move_pages(struct block from, struct block to, uint64_t bytes);

/* Ends a live block: records time, thread and stack, poisons it, and puts it
 * under quarantine. 0 if it was not live. */
int heap_release(struct heap_cache *cache, struct block place, uint32_t stack, uint16_t thread);

/* The part of a range of whole pages that is the heap's; empty if none is. */
struct heap_range {
    uintptr_t begin, end;
};
static inline struct heap_range heap_part(uintptr_t begin, uint64_t size) {
    uintptr_t end = wh_round_up(begin + size, OS_PAGE);
    if (begin < WH_HEAP_BASE) begin = WH_HEAP_BASE;
    if (end > WH_HEAP_BASE + WH_HEAP_SIZE) end = WH_HEAP_BASE + WH_HEAP_SIZE;
    return begin < end ? (struct heap_range){begin, end} : (struct heap_range){0, 0};
}

/* The program is about to map or unmap these whole pages of the heap: their slots are used no more.
 */
void heap_claim(uintptr_t begin, uintptr_t end);
/* It has mapped them: what is there may be accessed. */
void heap_claimed(uintptr_t begin, uintptr_t end);

/* At the end of a thread: returns all slots, and keeps the cache empty. */
void heap_close(struct heap_cache *cache);

/* Before and after fork: the child must not begin in the middle of a change. */
void heap_lock_all(void);
void heap_unlock_all(void);

/* ---- parts that tests use ---- */

/* log2 of the slot for a block; 0 if it is too large. */
unsigned heap_shift(uint64_t size, uint64_t alignment);
/* Bytes from the slot's begin to the block's. */
uint64_t heap_offset(unsigned shift, uint64_t index, uint64_t size, uint64_t alignment);
uint64_t heap_quarantined_bytes(void);
uint32_t heap_quarantined_count(unsigned shift);

#endif
