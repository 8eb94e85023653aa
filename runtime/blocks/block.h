/* A block of any kind behind one handle: what the rest of the runtime knows of blocks.
 *
 * The handle is passed by value, in two registers. Its fields mean something to the files of
 * blocks, alloc and guard alone. A region below BLOCK_SHIFTS is one of the heap, whose answers are
 * inlined; a region from BLOCK_PROVIDED on is a provider's (provider.h), and `slot` is the
 * provider's number of the block. slot 0: no block.
 *
 * Each block lies in a room: its own bytes and those beside it that belong to no other block. A
 * block of the heap has a slot as its room.
 *
 * What is asked of a handle needs one that exists. Another thread may free the block, and put
 * another one in its place, at any time: whoever must know compares block_id.
 */
#ifndef WHENCE_BLOCKS_BLOCK_H
#define WHENCE_BLOCKS_BLOCK_H

#include "blocks.h"
#include "../os/mem.h"

#define BLOCK_PROVIDED WH_REGION_COUNT
#define BLOCK_PROVIDERS_MOST 8u
#define BLOCK_REGIONS (BLOCK_PROVIDED + BLOCK_PROVIDERS_MOST)

/* What is known of a block that is not the heap's. */
struct block_facts {
    struct whence_block row;
    uint64_t free_thread;             /* number of the thread that freed it */
    uint64_t alloc_stack, free_stack; /* of the depot; 0: none */
};

/* How many providers there are. */
extern uint32_t blocks_providers;

/* ---- finding blocks ---- */

static inline struct block block_none(void) { return (struct block){0, 0}; }

static inline int block_exists(struct block block) { return block.slot != 0; }

static inline int block_same(struct block a, struct block b) {
    return a.slot == b.slot && (a.region == b.region || !a.slot);
}

/* The same for an address outside the heap. */
struct block block_provided_around(uintptr_t address);

/* The block in whose room the address lies. It may have been freed, or the room never used: then
 * it is in no state. */
static inline struct block block_around(uintptr_t address) {
    if (WH_UNLIKELY(blocks_providers) && !heap_contains(address))
        return block_provided_around(address);
    return heap_block(address);
}

/* The block, live or freed, that has begin <= address < begin+size. */
struct block block_at(uintptr_t address);

/* The block, live or freed, that holds the address or is nearest to it: of the heap at most one
 * slot away. */
struct block block_nearest(uintptr_t address);

/* Blocks in the state asked for (0: live and freed), those of a provider in the order of its
 * numbers, those of the heap in order of address, which is one of size, too. *cursor starts at 0;
 * none at the end. */
struct block block_next(uint64_t *cursor, uint64_t state);
/* The same, but the heap's larger blocks come first. */
struct block block_next_larger(uint64_t *cursor, uint64_t state);

/* The block with this id; none if its record was used again. Linear. */
struct block block_find(uint64_t id);

/* ---- what is known of a block ---- */

/* A word of the facts about a provider's block. */
uint64_t block_fact(struct block block, size_t offset);

#define BLOCK_FACT(type, name, field, of_heap)                                                     \
    static inline type block_##name(struct block block) {                                          \
        if (WH_UNLIKELY(!block_in_heap(block)))                                                    \
            return (type)block_fact(block, offsetof(struct block_facts, field));                   \
        const struct block_record *record = block_record(block.region, block.slot);                \
        return (type)(of_heap);                                                                    \
    }

BLOCK_FACT(uintptr_t, begin, row.begin, record_begin(record, block.region, block.slot))
BLOCK_FACT(uint64_t, size, row.size, record_size(record, block.region, block.slot))
/* WH_BLOCK_*, WH_FAMILY_*, WH_KIND_* */
BLOCK_FACT(unsigned, state, row.state, record->state)
BLOCK_FACT(unsigned, family, row.family, record->family)
BLOCK_FACT(unsigned, kind, row.kind, ((void)record, WH_KIND_HEAP))
/* The time of its allocation, which no other block has, and of its end; 0 while it lives. */
BLOCK_FACT(uint64_t, id, row.id, life_id(record))
BLOCK_FACT(uint64_t, free_time, row.free_time, life_free_time(record))
/* Numbers of the threads that allocated and freed it. */
BLOCK_FACT(unsigned, thread, row.thread, life_thread(record))
BLOCK_FACT(unsigned, free_thread, free_thread, life_free_thread(record))
/* Stacks of its allocation and free, of the depot. */
BLOCK_FACT(uint32_t, alloc_stack, alloc_stack, life_alloc_stack(record))
BLOCK_FACT(uint32_t, free_stack, free_stack, life_free_stack(record))

static inline int block_is_live(struct block block) {
    return block_exists(block) && block_state(block) == WH_BLOCK_LIVE;
}

/* Whether it lives and begins at the address. */
static inline int block_begins_live(struct block block, uintptr_t address) {
    return block_is_live(block) && block_begin(block) == address;
}

/* Fills one row; id 0 if there is no block, or none was ever in its room. */
void block_read(struct block block, struct whence_block *out);

/* ---- which memory is of blocks ---- */

/* Whether a provider's range holds the address. */
int blocks_provided(uintptr_t address);

/* Whether memory at the address is given out in blocks, so that they say what may be accessed and
 * what a pointer there belongs to. */
static inline int blocks_govern(uintptr_t address) {
    return heap_contains(address) || (WH_UNLIKELY(blocks_providers) && blocks_provided(address));
}

/* WH_KIND_* of the blocks that govern the address; WH_KIND_ELSEWHERE if none do. */
uint64_t blocks_kind(uintptr_t address);

/* Whether the second address lies in another room than the first one. If both lie in no room, it
 * does not. */
int blocks_provided_apart(uintptr_t a, uintptr_t b);
static inline int blocks_apart(uintptr_t a, uintptr_t b) {
    if (heap_contains(a)) return (a ^ b) >> slot_shift(a) != 0;
    if (WH_UNLIKELY(blocks_providers)) return blocks_provided_apart(a, b);
    return heap_contains(b);
}

/* The bytes of the live block that holds the address; none if none does. */
struct whence_bounds blocks_provided_range(uintptr_t address);
static inline struct whence_bounds blocks_live_range(uintptr_t address) {
    if (!heap_contains(address) && WH_UNLIKELY(blocks_providers))
        return blocks_provided_range(address);
    return heap_live_range(address);
}

/* Where a pointer from the address meets no other block: its live block; outside of memory that
 * blocks govern, as far as that goes; no bytes in the null page, the state plane, and memory of
 * blocks that no live block holds. */
struct whence_bounds blocks_provided_extent(uintptr_t address);
static inline struct whence_bounds blocks_extent(uintptr_t address) {
    if (WH_LIKELY(heap_contains(address))) return heap_live_range(address);
    if (WH_UNLIKELY(blocks_providers)) return blocks_provided_extent(address);
    return blocks_between(address);
}

/* No byte from here on is of the memory at an address: the end of the live block in the heap, or
 * of the provider's range, or of the range that no blocks govern, which the state plane ends, too.
 * The address itself if it is the heap's and in no live block. */
uintptr_t blocks_reach(uintptr_t address);

/* The end of the live block that holds the address; 0 if none does. */
static inline uintptr_t blocks_live_end(uintptr_t address) {
    struct whence_bounds range = blocks_live_range(address);
    return range.begin + range.size;
}

/* Whether every byte is in one live block. */
int blocks_live(uintptr_t address, uint64_t size);

/* ---- tables of blocks ---- */

#define BLOCK_UNNUMBERED UINT64_MAX
/* By region: the number of slot 0, and how many slots have numbers. */
extern uint64_t blocks_numbers_first[BLOCK_REGIONS], blocks_numbers[BLOCK_REGIONS];

/* Gives the blocks that there are, and the rooms of those that were, dense numbers until the next
 * call; returns how many. */
uint64_t blocks_number_all(void);

/* A block that is newer has none. */
static inline uint64_t block_number(struct block block) {
    if (!block_exists(block) || block.slot >= blocks_numbers[block.region]) return BLOCK_UNNUMBERED;
    return blocks_numbers_first[block.region] + block.slot;
}

/* A handle in the low BLOCK_WORD_BITS bits of a word; 0: none. */
#define BLOCK_SLOT_BITS 40
#define BLOCK_WORD_BITS 48

static inline uint64_t block_word(struct block block) {
    return block_exists(block) ? (uint64_t)block.region << BLOCK_SLOT_BITS | block.slot : 0;
}

static inline struct block block_of_word(uint64_t word) {
    return (struct block){word & ((1ull << BLOCK_SLOT_BITS) - 1),
                          (unsigned)(word >> BLOCK_SLOT_BITS) %
                              (1u << (BLOCK_WORD_BITS - BLOCK_SLOT_BITS))};
}

/* Asks the processor for what is known of the block, and for its first bytes. */
static inline void block_prefetch(struct block block) {
    if (block_in_heap(block)) __builtin_prefetch(block_record(block.region, block.slot));
}
static inline void block_prefetch_bytes(struct block block) {
    if (block_in_heap(block))
        __builtin_prefetch((const void *)slot_begin(block.region, block.slot));
}

#endif
