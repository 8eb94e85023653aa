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
#include "../port/port.h"
#include "whence_abi.h"

/* From this shift on, sizes do not fit the record and stand in a table of their own. */
#define BLOCK_WIDE_SHIFT WH_BLOCK_WIDE_SHIFT
#define BLOCK_SHIFTS (WH_MAX_SLOT_SHIFT + 1)

/* A slot. index 0: no slot. */
struct block_place {
    uint64_t index;
    unsigned shift;
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

static inline uintptr_t block_begin(const struct block_record *record, unsigned shift,
                                    uint64_t index) {
    uint64_t offset = record->offset;
    uintptr_t slot = slot_begin(shift, index);
    if (!PORT_GUARDS) return slot + (offset << block_unit_shift(shift));
    if (offset & GUARD_PAGES) offset = (offset - GUARD_PAGES) * OS_PAGE;
    return slot + (shift >= guard_first_shift ? guard_front : 0) + offset;
}

static inline uint64_t block_size(const struct block_record *record, unsigned shift,
                                  uint64_t index) {
    if (__builtin_expect(shift >= BLOCK_WIDE_SHIFT, 0))
        return blocks_wide_size[shift - BLOCK_WIDE_SHIFT][index];
    return record->size;
}

/* The slot that holds an address; index 0 if the address lies in no cut slot. */
static inline struct block_place block_place(uintptr_t address) {
    struct block_place place = {0, slot_shift(address)};
    if (!heap_contains(address) || place.shift < WH_MIN_SLOT_SHIFT ||
        place.shift > WH_MAX_SLOT_SHIFT)
        return place;
    uint64_t index = (address & ((1ull << WH_REGION_SHIFT) - 1)) >> place.shift;
    if (index < blocks_cut[place.shift]) place.index = index;
    return place;
}

/* The slot whose block, live or freed, has begin <= address < begin+size; index 0 if none. */
struct block_place blocks_holding(uintptr_t address);

/* Whether a live block begins at the address. */
static inline int block_begins_live(struct block_place place, uintptr_t address) {
    if (__builtin_expect(!place.index, 0)) return 0;
    const struct block_record *record = block_record(place.shift, place.index);
    return record->state == WH_BLOCK_LIVE &&
           block_begin(record, place.shift, place.index) == address;
}

/* The slot whose block holds the address or is nearest to it, at most one slot
 * away; index 0 if none. */
struct block_place blocks_nearest(uintptr_t address);

/* Fills one row; id 0 for index 0 or a slot that was never used. */
void blocks_read(struct block_place place, struct whence_block *out);

/* Slots in use in the state asked for (0: live and freed), in order of address.
 * *cursor starts at 0; index 0 at the end. */
struct block_place blocks_next(uint64_t *cursor, uint64_t state);

/* The slot whose record has this id; index 0 if it was used again. Linear. */
struct block_place blocks_find(uint64_t id);

/* The end of the live block that holds the address; 0 if none does. */
uintptr_t blocks_live_end(uintptr_t address);

/* Whether every byte is in one live block. */
int blocks_live(uintptr_t address, uint64_t size);

#endif
