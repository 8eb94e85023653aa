/* The block table: one record for each heap slot, outside the heap. A record has 32 bytes, or 8 in
 * a product that does not record lives (PORT_CHECKS in port/port.h).
 *
 * The heap is divided into regions by slot size; region `shift` consists of slots of
 * 2**shift bytes. Arithmetic alone leads from an address to its record:
 *
 *     shift = (a >> WH_REGION_SHIFT) % WH_REGION_COUNT
 *     index = (a % 2**WH_REGION_SHIFT) >> shift
 *     record = WH_META_BASE + (shift << WH_REGION_SHIFT) + index * size of a record
 *
 * Slot region_before() of a region is never allocated: it is the zone before the first block. Its
 * index is 0 unless the option that varies addresses moves it.
 * A record describes the last block of its slot, live or freed, until the slot
 * is used again. Only the allocator writes the table. Everyone reads it without a lock: a reader
 * may see a block that another thread is freeing.
 *
 * Beside the records of a region lies a table of links, one u32 for each slot, with which the
 * allocator chains slots.
 */
#ifndef WHENCE_BLOCKS_BLOCKS_H
#define WHENCE_BLOCKS_BLOCKS_H

#include <stddef.h>
#include <stdint.h>
#include "compact.h"
#include "../include/whence/rules.h"
#include "../os/os.h"
#include "../planes/planes.h"
#include "../port/port.h"
#include "whence_abi.h"

/* From this shift on, sizes do not fit the record and have a table of their own. */
#define BLOCK_WIDE_SHIFT WH_BLOCK_WIDE_SHIFT
#define BLOCK_SHIFTS (WH_MAX_SLOT_SHIFT + 1)

/* A handle of a block, which block.h describes. For a heap block: the index of its slot, and the
 * slot's region. slot 0: none. */
struct block {
    uint64_t slot;
    unsigned region;
};

/* Bytes at the begin of each region that are never used, a multiple of OS_PAGE, so that addresses
 * vary between runs. Must be set before blocks_init and heap_init. */
extern uint64_t blocks_reserved;
/* The number of slots of each region that have been cut so far, with those that are never
 * allocated; grows only. */
extern uint64_t blocks_cut[BLOCK_SHIFTS];
/* The event clock. Block ids are times of allocation. */
extern uint64_t blocks_clock;
extern uint64_t blocks_wide_size[BLOCK_SHIFTS - BLOCK_WIDE_SHIFT]
                                [1u << (WH_REGION_SHIFT - BLOCK_WIDE_SHIFT)];

/* The id of the block at whose allocation and free a debugger stops; UINT64_MAX: none. */
extern uint64_t blocks_watched;
/* Called there, for a breakpoint. */
void whence_debug_block_reached(void);

/* Reserves the table. 0, or -errno and the range that could not be reserved. */
long blocks_init(uintptr_t *begin, size_t *size);

static inline uint64_t blocks_tick(void) { return os_add(&blocks_clock, 1); }

static inline int heap_contains(uintptr_t address) { return address - WH_HEAP_BASE < WH_HEAP_SIZE; }

static inline unsigned slot_shift(uintptr_t address) {
    return (unsigned)(address >> WH_REGION_SHIFT) % WH_REGION_COUNT;
}

static inline uintptr_t region_begin(unsigned shift) {
    return WH_HEAP_BASE + ((uintptr_t)shift << WH_REGION_SHIFT);
}

/* The most slots of a region: guard/ has tables of 64 bytes a slot, and a link has 32 bits. */
#define REGION_SLOTS_MOST (PORT_GUARDS ? 1ull << 29 : UINT32_MAX)

/* The index of the last slot that is never allocated. */
static inline uint64_t region_before(unsigned shift) { return blocks_reserved >> shift; }

/* The number of slots in a region. */
static inline uint64_t region_slots(unsigned shift) {
    uint64_t slots = 1ull << (WH_REGION_SHIFT - shift);
    return slots > REGION_SLOTS_MOST ? REGION_SLOTS_MOST : slots;
}

static inline uintptr_t slot_begin(unsigned shift, uint64_t index) {
    return region_begin(shift) + (index << shift);
}

static inline uintptr_t meta_begin(unsigned shift) {
    return WH_META_BASE + ((uintptr_t)shift << WH_REGION_SHIFT);
}

static inline struct block_record *block_record(unsigned shift, uint64_t index) {
    return (struct block_record *)meta_begin(shift) + index;
}

static inline uint32_t *block_links(unsigned shift) {
    return (uint32_t *)(meta_begin(shift) + (1ull << (WH_REGION_SHIFT - 1)));
}

/* Slots of this shift and larger are guarded (guard/guard.h). */
extern unsigned guard_first_shift;
/* The size in bytes of the red zone at the begin of each guarded slot. */
extern uint64_t guard_front;
/* A block's offset in a guarded slot counts from the end of this red zone: in pages if the offset
 * has this bit, in bytes otherwise. */
#define GUARD_PAGES 0x8000u
/* Offset in each region's tables, and size, of a second record that guarded blocks have. */
#define GUARD_EXTRA_OFFSET (PORT_GUARDS ? 3ull << (WH_REGION_SHIFT - 2) : 0)
#define GUARD_EXTRA_SIZE 64u

static inline uintptr_t record_begin(const struct block_record *record, unsigned shift,
                                     uint64_t index) {
    uint64_t offset = record->offset;
    uintptr_t slot = slot_begin(shift, index);
    if (!PORT_GUARDS) return slot + (offset << block_unit_shift(shift));
    if (offset & GUARD_PAGES) offset = (offset - GUARD_PAGES) * OS_PAGE;
    return slot + (shift >= guard_first_shift ? guard_front : 0) + offset;
}

static inline uint64_t record_size(const struct block_record *record, unsigned shift,
                                   uint64_t index) {
    if (__builtin_expect(shift >= BLOCK_WIDE_SHIFT, 0))
        return blocks_wide_size[shift - BLOCK_WIDE_SHIFT][index];
    return record->size;
}

/* Whether the handle is of a heap block. */
static inline int block_in_heap(struct block block) { return block.region < BLOCK_SHIFTS; }

/* The slot that contains an address; none if the address lies in no cut slot. */
static inline struct block heap_block(uintptr_t address) {
    struct block place = {0, slot_shift(address)};
    if (!heap_contains(address) || place.region < WH_MIN_SLOT_SHIFT ||
        place.region > WH_MAX_SLOT_SHIFT)
        return place;
    uint64_t index = (address & ((1ull << WH_REGION_SHIFT) - 1)) >> place.region;
    if (index < blocks_cut[place.region]) place.slot = index;
    return place;
}

/* Whether a live heap block begins at the address, which lies in the given slot. */
static inline int heap_begins_live(struct block place, uintptr_t address) {
    if (__builtin_expect(!place.slot, 0)) return 0;
    const struct block_record *record = block_record(place.region, place.slot);
    return record->state == WH_BLOCK_LIVE &&
           record_begin(record, place.region, place.slot) == address;
}

/* The bytes of the array cookie at the begin of a live block with life_has_cookie: the front end
 * stores the number of an array's elements before the first one. The state plane says how many they
 * are. */
static inline uint64_t heap_cookie_size(uintptr_t begin, uint64_t size) {
    uint64_t cookie = 0;
    while (cookie < size && *plane_state(begin + cookie) == WH_STATE_COOKIE) cookie += WH_GRANULE;
    return cookie;
}

/* The bytes of the live heap block that contains the address, without its array cookie; none if
 * none does. */
static inline struct whence_bounds heap_live_range(uintptr_t address) {
    struct block place = heap_block(address);
    const struct block_record *record = block_record(place.region, place.slot);
    if (!place.slot || record->state != WH_BLOCK_LIVE) return (struct whence_bounds){0, 0};
    uintptr_t begin = record_begin(record, place.region, place.slot);
    uint64_t size = record_size(record, place.region, place.slot);
    if (address - begin >= size) return (struct whence_bounds){0, 0};
    uint64_t cookie = 0;
    if (PORT_PLANES && WH_UNLIKELY(life_has_cookie(record))) cookie = heap_cookie_size(begin, size);
    return (struct whence_bounds){begin + cookie, size - cookie};
}

/* The part of a range around an address that another range, which does not contain the address,
 * leaves over. */
static inline struct whence_bounds blocks_clip(struct whence_bounds range, uintptr_t address,
                                               uintptr_t begin, uintptr_t end) {
    uintptr_t from = range.begin, to = range.begin + range.size;
    if (end <= address && end > from) from = end;
    if (begin > address && begin < to) to = begin;
    return (struct whence_bounds){from, to - from};
}

/* The range around an address outside the heap that ends at the heap, the state plane or the null
 * page; none in the null page and the plane. */
static inline struct whence_bounds blocks_between(uintptr_t address) {
    struct whence_bounds range = {WH_NULL_PAGE_SIZE, ADDRESS_END - WH_NULL_PAGE_SIZE};
    int in_plane = address - PLANE_BEGIN < PLANE_END - PLANE_BEGIN;
    if (in_plane || address - range.begin >= range.size) return (struct whence_bounds){0, 0};
    range = blocks_clip(range, address, PLANE_BEGIN, PLANE_END);
    return blocks_clip(range, address, WH_HEAP_BASE, WH_HEAP_BASE + WH_HEAP_SIZE);
}

/* The slot whose block contains the address or is nearest to it, at most one slot away. */
struct block heap_nearest(uintptr_t address);

/* The first slot after the given one, in its region, whose block is in this state; 0: any block. */
struct block heap_next(struct block place, uint64_t state);

/* Whether a range of addresses overlaps the heap or the tables of its blocks. */
int heap_overlaps(uintptr_t begin, uintptr_t end);

#endif
