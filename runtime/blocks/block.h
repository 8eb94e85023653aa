/* The interface to blocks of every kind, through one handle.
 *
 * The handle is passed by value, in two registers. Only blocks, alloc and guard use its fields. A
 * region below BLOCK_SHIFTS belongs to the heap, whose case is inline; a region from BLOCK_PROVIDED
 * on belongs to a provider (provider.h), and `slot` is the provider's number of the block. slot 0:
 * no block.
 *
 * Each block lies in a room: its own bytes and those beside it that belong to no other block. The
 * room of a heap block is its slot.
 *
 * The functions that read a fact of a block need a handle for which block_exists. Another thread
 * may free the block, and allocate another one in the same room, at any time: compare block_id to
 * notice.
 */
#ifndef WHENCE_BLOCKS_BLOCK_H
#define WHENCE_BLOCKS_BLOCK_H

#include "blocks.h"
#include "claims.h"
#include "../os/mem.h"

#define BLOCK_PROVIDED WH_REGION_COUNT
#define BLOCK_PROVIDERS_MOST 8u
#define BLOCK_REGIONS (BLOCK_PROVIDED + BLOCK_PROVIDERS_MOST)

/* The facts about a provider's block. */
struct block_facts {
    struct whence_block row;
    uint64_t free_thread;             /* number of the thread that freed it */
    uint64_t alloc_stack, free_stack; /* of the depot; 0: none */
    const char *text;                 /* of the variable (whence.abi.zones); NULL: none */
};

/* The number of providers. */
extern uint32_t blocks_providers;

/* ---- finding blocks ---- */

static inline struct block block_none(void) { return (struct block){0, 0}; }

static inline int block_exists(struct block block) { return block.slot != 0; }

static inline int block_same(struct block a, struct block b) {
    return a.slot == b.slot && (a.region == b.region || !a.slot);
}

/* block_around for an address outside the heap. */
struct block block_provided_around(uintptr_t address);

/* The block in whose room the address lies. If the room was never used, the state of this block is
 * neither live nor freed. */
static inline struct block block_around(uintptr_t address) {
    if (WH_UNLIKELY(blocks_providers) && !heap_contains(address))
        return block_provided_around(address);
    return heap_block(address);
}

/* The block, live or freed, that has begin <= address < begin+size. */
struct block block_at(uintptr_t address);

/* The same for an address in the heap that is not the program's own. */
static inline struct block block_of_heap_at(uintptr_t address) {
    struct block block = heap_block(address);
    const struct block_record *record = block_record(block.region, block.slot);
    if (!block_exists(block) || !block_used(record)) return block_none();
    uintptr_t begin = record_begin(record, block.region, block.slot);
    return address - begin < record_size(record, block.region, block.slot) ? block : block_none();
}

/* The block, live or freed, that contains the address or else is nearest to it; a heap block at
 * most one slot away. Neither of the two finds freed blocks where the program has mapped its own
 * memory. */
struct block block_nearest(uintptr_t address);

/* The block in whose room the address lies, in the middle of another block or of memory of no
 * block, as a local variable of code that runs on a stack which the program made. Whoever judges an
 * access asks for it first. */
struct block block_inner(uintptr_t address);

/* ---- blocks that the program's own allocator hands out, in blocks of the heap or elsewhere: known
 * between two calls of blocks_search ---- */

/* No block lies outside; empty at all other times. */
extern struct whence_bounds blocks_handed_out;
struct block block_handed_out_around(uintptr_t address);

/* The one in which an address lies. */
static inline struct block block_handed_out(uintptr_t address) {
    if (WH_LIKELY(address - blocks_handed_out.begin >= blocks_handed_out.size)) return block_none();
    return block_handed_out_around(address);
}

/* The first one that ends behind an address. */
struct block block_handed_out_from(uintptr_t address);

/* This thread begins to search for leaks, or ends. */
void blocks_search(int begins);

/* Iterates over the blocks in a state (0: live and freed). Heap blocks come in the order of their
 * addresses, which is also the order of their slot sizes; a provider's blocks in the order of their
 * numbers. *cursor starts at 0; returns none at the end. */
struct block block_next(uint64_t *cursor, uint64_t state);
/* The same, but the heap's larger blocks come first. */
struct block block_next_larger(uint64_t *cursor, uint64_t state);

/* The block with this id; none if its record was used again. Linear. */
struct block block_find(uint64_t id);

/* ---- facts about a block ---- */

/* The word at an offset in the facts about a provider's block. */
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
BLOCK_FACT(unsigned, family, row.family, life_family(record))
BLOCK_FACT(unsigned, kind, row.kind, ((void)record, WH_KIND_HEAP))
/* The alignment that operator new was given, 0 if none. */
BLOCK_FACT(uint64_t, align, row.align, life_align(record))
/* The times of its allocation, which is unique, and of its free, which is 0 while it lives. */
BLOCK_FACT(uint64_t, id, row.id, life_id(record))
BLOCK_FACT(uint64_t, free_time, row.free_time, life_free_time(record))
/* Numbers of the threads that allocated and freed it. */
BLOCK_FACT(unsigned, thread, row.thread, life_thread(record))
BLOCK_FACT(unsigned, free_thread, free_thread, life_free_thread(record))
/* Depot numbers of the stacks of its allocation and free. */
BLOCK_FACT(uint32_t, alloc_stack, alloc_stack, life_alloc_stack(record))
BLOCK_FACT(uint32_t, free_stack, free_stack, life_free_stack(record))

static inline int block_is_live(struct block block) {
    return block_exists(block) && block_state(block) == WH_BLOCK_LIVE;
}

/* Whether it lives and begins at the address. */
static inline int block_begins_live(struct block block, uintptr_t address) {
    return block_is_live(block) && block_begin(block) == address;
}

/* The size of the array cookie that begins a live block; 0 if none does. */
static inline uint64_t block_cookie(struct block block) {
    if (!PORT_PLANES || !block_in_heap(block)) return 0;
    if (!life_has_cookie(block_record(block.region, block.slot)) || !block_is_live(block)) return 0;
    return heap_cookie_size(block_begin(block), block_size(block));
}

/* Makes the first bytes of a live block of WH_FAMILY_NEW_ARRAY its array cookie; 0: it has none. */
void block_set_cookie(struct block block, uint64_t size);

/* The text of the variable that the block is; NULL if it is none. */
static inline const char *block_text(struct block block) {
    if (block_in_heap(block)) return NULL;
    return (const char *)(uintptr_t)block_fact(block, offsetof(struct block_facts, text));
}

/* Fills one row; its id is 0 if there is no block or its room was never used. */
void block_read(struct block block, struct whence_block *out);
/* The same, with begin and size of what accesses may reach: without the array cookie. */
void block_read_accessible(struct block block, struct whence_block *out);

/* ---- memory that consists of blocks ---- */

/* Whether a provider's range contains the address. */
int blocks_provided(uintptr_t address);

/* Whether the address lies in the heap or a provider's range. There, an access must stay in a live
 * block, and a pointer belongs to the block in whose room it lies. */
static inline int blocks_govern(uintptr_t address) {
    if (heap_contains(address)) return !claimed(address);
    return WH_UNLIKELY(blocks_providers) && blocks_provided(address);
}

/* WH_KIND_* of the blocks that govern the address; WH_KIND_ELSEWHERE if none do. */
uint64_t blocks_kind(uintptr_t address);

/* The begins of two heap blocks are at least as many bytes apart. */
#define BLOCKS_APART (1u << WH_MIN_SLOT_SHIFT)

/* Whether the address may lie in a block of the heap. */
static inline int blocks_in_heap(uintptr_t address) {
    return heap_contains(address) && !claimed(address);
}

/* Whether two addresses lie in different rooms; an address in no room differs from one in a room.
 */
int blocks_provided_apart(uintptr_t a, uintptr_t b);
static inline int blocks_apart(uintptr_t a, uintptr_t b) {
    if (heap_contains(a)) return (a ^ b) >> slot_shift(a) != 0;
    if (WH_UNLIKELY(blocks_providers)) return blocks_provided_apart(a, b);
    return heap_contains(b);
}

/* The bytes of the live block that contains the address; none if none does. */
struct whence_bounds blocks_provided_range(uintptr_t address);
static inline struct whence_bounds blocks_live_range(uintptr_t address) {
    if (!heap_contains(address) && WH_UNLIKELY(blocks_providers))
        return blocks_provided_range(address);
    return heap_live_range(address);
}

/* Bytes between two addresses outside the heap that blocks_parted looks at. */
#define BLOCKS_PARTED_MOST (16ull << 10)

/* As blocks_apart, where zones in the state plane lie between all rooms outside the heap: quick
 * where no zone lies between the addresses. */
static inline int blocks_parted(uintptr_t a, uintptr_t b) {
    uintptr_t low = a < b ? a : b, size = (a < b ? b - a : a - b) + 1;
    if (WH_UNLIKELY(blocks_providers) && size <= BLOCKS_PARTED_MOST && !heap_contains(a) &&
        !heap_contains(b) && plane_covers(a) && plane_covers(b) && plane_clean(low, size))
        return 0;
    return blocks_apart(a, b);
}

/* The range that a pointer to the address may move in without leaving its block: the live block of
 * the heap, or outside the heap the bytes up to the nearest zones in the state plane, of which only
 * some are looked at. Empty in the null page, in the state plane, and where no byte may be
 * accessed.
 */
struct whence_bounds blocks_zoned_extent(uintptr_t address);
static inline struct whence_bounds blocks_extent(uintptr_t address) {
    if (WH_LIKELY(heap_contains(address))) return heap_live_range(address);
    if (WH_UNLIKELY(blocks_providers)) return blocks_zoned_extent(address);
    return blocks_between(address);
}

/* Where the memory at an address ends at the latest: the end of the live heap block, of the pages
 * that the program has mapped there, of the provider's range, or of the gap between the ranges that
 * blocks govern (the state plane ends a gap, too). The address itself if it lies in the heap, but
 * neither in a live block nor in memory of the program's. */
uintptr_t blocks_reach(uintptr_t address);

/* The end of the live block that contains the address; 0 if none does. */
static inline uintptr_t blocks_live_end(uintptr_t address) {
    struct whence_bounds range = blocks_live_range(address);
    return range.begin + range.size;
}

/* Whether one live block contains every byte. */
int blocks_live(uintptr_t address, uint64_t size);

/* ---- tables of blocks ---- */

#define BLOCK_UNNUMBERED UINT64_MAX
/* By region: the number of slot 0, and the count of numbered slots. */
extern uint64_t blocks_numbers_first[BLOCK_REGIONS], blocks_numbers[BLOCK_REGIONS];

/* Numbers all rooms, used or not, densely; the numbers hold until the next call. Returns their
 * count. */
uint64_t blocks_number_all(void);

/* BLOCK_UNNUMBERED for a block in a room that is newer than the last blocks_number_all. */
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

/* Prefetch the block's record, and its first bytes. */
static inline void block_prefetch(struct block block) {
    if (block_in_heap(block)) __builtin_prefetch(block_record(block.region, block.slot));
}
static inline void block_prefetch_bytes(struct block block) {
    if (block_in_heap(block))
        __builtin_prefetch((const void *)slot_begin(block.region, block.slot));
}

#endif
