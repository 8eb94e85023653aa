/* The block table: one record for each heap slot, out of line: 32 bytes, or, where nobody asks
 * about lives, 8 (port/port.h).
 *
 * The heap is cut into regions by slot size; region `shift` holds slots of
 * 2**shift bytes. From an address follow, by arithmetic alone:
 *
 *     shift = (a >> WH_REGION_SHIFT) % WH_REGION_COUNT
 *     index = (a % 2**WH_REGION_SHIFT) >> shift
 *     record = WH_META_BASE + (shift << WH_REGION_SHIFT) + index * size of a record
 *
 * Slot region_before() of a region, which is 0 unless addresses were asked to differ, is never
 * handed out: the zone before the first block.
 * A record describes the last block of its slot, live or freed, until the slot
 * is used again. The table is written by the allocator and read by anyone, also
 * while it changes: readers may see a block that is just being freed.
 *
 * Beside the records of a region lies a table of links, one u32 a slot, that
 * the allocator chains slots with.
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

/* From this shift on, sizes do not fit the record and stand in a table of their own. */
#define BLOCK_WIDE_SHIFT WH_BLOCK_WIDE_SHIFT
#define BLOCK_SHIFTS (WH_MAX_SLOT_SHIFT + 1)

/* A block, as block.h describes it. Of the heap's blocks the slot and its region; slot 0: none. */
struct block {
    uint64_t slot;
    unsigned region;
};

/* Bytes at the begin of each region that are never used, a multiple of OS_PAGE: so runs get other
 * addresses. Set before blocks_init and heap_init. */
extern uint64_t blocks_reserved;
/* Slots of each region that have been cut so far, those before the first included; grows only. */
extern uint64_t blocks_cut[BLOCK_SHIFTS];
/* The event clock. Block ids are times of allocation. */
extern uint64_t blocks_clock;
extern uint64_t blocks_wide_size[BLOCK_SHIFTS - BLOCK_WIDE_SHIFT]
                                [1u << (WH_REGION_SHIFT - BLOCK_WIDE_SHIFT)];

/* Reserves the table. 0, or -errno and the range that could not be had. */
long blocks_init(uintptr_t *begin, size_t *size);

static inline uint64_t blocks_tick(void) { return os_add(&blocks_clock, 1); }

static inline int heap_contains(uintptr_t address) { return address - WH_HEAP_BASE < WH_HEAP_SIZE; }

static inline unsigned slot_shift(uintptr_t address) {
    return (unsigned)(address >> WH_REGION_SHIFT) % WH_REGION_COUNT;
}

static inline uintptr_t region_begin(unsigned shift) {
    return WH_HEAP_BASE + ((uintptr_t)shift << WH_REGION_SHIFT);
}

/* Slots that tables of 64 bytes a slot have room for; a link has 32 bits. */
#define REGION_SLOTS_MOST (PORT_GUARDS ? 1ull << 29 : UINT32_MAX)

/* The slot before the first one that is handed out. */
static inline uint64_t region_before(unsigned shift) { return blocks_reserved >> shift; }

/* Slots that a region can hold. */
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

/* Guarded slots (guard/guard.h) are those from this shift on; they begin with so many bytes of red
 * zone. */
extern unsigned guard_first_shift;
extern uint64_t guard_front;
/* Offsets of blocks in guarded slots count bytes behind the red zone or, with this bit, pages. */
#define GUARD_PAGES 0x8000u
/* Where in each region's tables more about guarded blocks stands, and its size. */
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

/* Whether the handle, of any block, is one of a slot. */
static inline int block_in_heap(struct block block) { return block.region < BLOCK_SHIFTS; }

/* The slot that holds an address; none if the address lies in no cut slot. */
static inline struct block heap_block(uintptr_t address) {
    struct block place = {0, slot_shift(address)};
    if (!heap_contains(address) || place.region < WH_MIN_SLOT_SHIFT ||
        place.region > WH_MAX_SLOT_SHIFT)
        return place;
    uint64_t index = (address & ((1ull << WH_REGION_SHIFT) - 1)) >> place.region;
    if (index < blocks_cut[place.region]) place.slot = index;
    return place;
}

/* Whether a live block of the heap begins at the address, which the slot holds. */
static inline int heap_begins_live(struct block place, uintptr_t address) {
    if (__builtin_expect(!place.slot, 0)) return 0;
    const struct block_record *record = block_record(place.region, place.slot);
    return record->state == WH_BLOCK_LIVE &&
           record_begin(record, place.region, place.slot) == address;
}

/* The bytes of the heap's live block that holds the address; none if none does. */
static inline struct whence_bounds heap_live_range(uintptr_t address) {
    struct block place = heap_block(address);
    const struct block_record *record = block_record(place.region, place.slot);
    if (!place.slot || record->state != WH_BLOCK_LIVE) return (struct whence_bounds){0, 0};
    uintptr_t begin = record_begin(record, place.region, place.slot);
    uint64_t size = record_size(record, place.region, place.slot);
    if (address - begin >= size) return (struct whence_bounds){0, 0};
    return (struct whence_bounds){begin, size};
}

/* What is left of a range around an address without another range, which does not hold the address.
 */
static inline struct whence_bounds blocks_clip(struct whence_bounds range, uintptr_t address,
                                               uintptr_t begin, uintptr_t end) {
    uintptr_t from = range.begin, to = range.begin + range.size;
    if (end <= address && end > from) from = end;
    if (begin > address && begin < to) to = begin;
    return (struct whence_bounds){from, to - from};
}

/* The range around an address outside the heap that neither the heap nor the state plane
 * interrupts; none in the null page and the plane. */
static inline struct whence_bounds blocks_between(uintptr_t address) {
    struct whence_bounds range = {WH_NULL_PAGE_SIZE, ADDRESS_END - WH_NULL_PAGE_SIZE};
    int in_plane = address - PLANE_BEGIN < PLANE_END - PLANE_BEGIN;
    if (in_plane || address - range.begin >= range.size) return (struct whence_bounds){0, 0};
    range = blocks_clip(range, address, PLANE_BEGIN, PLANE_END);
    return blocks_clip(range, address, WH_HEAP_BASE, WH_HEAP_BASE + WH_HEAP_SIZE);
}

/* The slot whose block holds the address or is nearest to it, at most one slot away. */
struct block heap_nearest(uintptr_t address);

/* The first slot of a region behind the given one whose block is in this state; 0: any block. */
struct block heap_next(struct block place, uint64_t state);

/* Whether a range of addresses overlaps the heap or the tables of its blocks. */
int heap_overlaps(uintptr_t begin, uintptr_t end);

#endif
