#include "blocks.h"
#include "claims.h"
#include "../os/mem.h"

uint64_t blocks_reserved;
uint64_t blocks_cut[BLOCK_SHIFTS];
WH_WRITTEN uint64_t blocks_clock;
uint64_t blocks_watched = UINT64_MAX;
unsigned guard_first_shift;
uint64_t guard_front;
uint64_t blocks_wide_size[BLOCK_SHIFTS - BLOCK_WIDE_SHIFT]
                         [1u << (WH_REGION_SHIFT - BLOCK_WIDE_SHIFT)];

__attribute__((noinline)) void whence_debug_block_reached(void) {
    __asm__ volatile("" : : : "memory");
}

static long reserve(uintptr_t at, uint64_t bytes, uintptr_t *begin, size_t *size) {
    *begin = at;
    *size = wh_round_up(bytes, OS_PAGE);
    return os_reserve(*begin, *size, OS_READ_WRITE);
}

/* All tables and what lies between them. Each mapping makes a fork and the end of a process slower.
 */
static long reserve_as_one(uintptr_t *begin, size_t *size) {
    uintptr_t first = meta_begin(WH_MIN_SLOT_SHIFT);
    return reserve(first, meta_begin(WH_MAX_SLOT_SHIFT + 1) - first, begin, size);
}

/* Only the part of the range that slots can use. */
static long reserve_each(uintptr_t *begin, size_t *size) {
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift <= WH_MAX_SLOT_SHIFT; shift++) {
        uint64_t slots = region_slots(shift) + 1;
        long result = reserve(meta_begin(shift), slots * sizeof(struct block_record), begin, size);
        if (result == 0)
            result = reserve((uintptr_t)block_links(shift), slots * sizeof(uint32_t), begin, size);
        if (result == 0 && GUARD_EXTRA_OFFSET != 0)
            result = reserve(meta_begin(shift) + GUARD_EXTRA_OFFSET, slots * GUARD_EXTRA_SIZE,
                             begin, size);
        if (result < 0) return result;
    }
    return 0;
}

/* A program image may lie between the tables of two regions. */
long blocks_init(uintptr_t *begin, size_t *size) {
    long result = reserve_as_one(begin, size);
    if (result < 0) result = reserve_each(begin, size);
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift <= WH_MAX_SLOT_SHIFT; shift++)
        blocks_cut[shift] = region_before(shift) + 1;
    return result;
}

static const struct block no_block = {0, 0};

/* Bytes between an address and a block; 0 inside it. The first byte after a block has distance 1,
 * like the last byte before one. */
static uint64_t distance(uintptr_t address, struct block place) {
    const struct block_record *record = block_record(place.region, place.slot);
    uintptr_t begin = record_begin(record, place.region, place.slot);
    uintptr_t end = begin + record_size(record, place.region, place.slot);
    if (address < begin) return begin - address;
    return address < end ? 0 : address - end + 1;
}

struct block heap_nearest(uintptr_t address) {
    unsigned shift = slot_shift(address);
    if (!heap_contains(address) || shift < WH_MIN_SLOT_SHIFT || shift > WH_MAX_SLOT_SHIFT)
        return no_block;
    uint64_t index = (address & ((1ull << WH_REGION_SHIFT) - 1)) >> shift;
    /* The own slot first, then the one before: on a tie the overflow is likelier. */
    const uint64_t candidates[] = {index, index - 1, index + 1};
    struct block best = no_block;
    uint64_t best_distance = UINT64_MAX;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        struct block place = {candidates[i], shift};
        if (place.slot == 0 || place.slot >= blocks_cut[shift]) continue;
        if (!block_used(block_record(shift, place.slot))) continue;
        uint64_t far = distance(address, place);
        if (far < best_distance) {
            best = place;
            best_distance = far;
        }
    }
    return best;
}

struct block heap_next(struct block place, uint64_t state) {
    unsigned shift = place.region;
    uint64_t index = place.slot;
    if (shift < WH_MIN_SLOT_SHIFT || shift > WH_MAX_SLOT_SHIFT) return no_block;
    if (index < region_before(shift)) index = region_before(shift);
    while (++index < blocks_cut[shift]) {
        const struct block_record *record = block_record(shift, index);
        if (block_used(record) && (!state || record->state == state))
            return (struct block){index, shift};
    }
    return no_block;
}

static int overlap(uintptr_t begin, uintptr_t end, uintptr_t at, uint64_t size) {
    return begin < at + size && end > at;
}

int heap_overlaps(uintptr_t begin, uintptr_t end) {
    if (overlap(begin, end, WH_HEAP_BASE, WH_HEAP_SIZE)) return 1;
    if (overlap(begin, end, CLAIMS_BASE, CLAIMS_SIZE)) return 1;
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift <= WH_MAX_SLOT_SHIFT; shift++) {
        uint64_t slots = region_slots(shift) + 1;
        if (overlap(begin, end, meta_begin(shift), slots * sizeof(struct block_record)) ||
            overlap(begin, end, (uintptr_t)block_links(shift), slots * sizeof(uint32_t)) ||
            (GUARD_EXTRA_OFFSET &&
             overlap(begin, end, meta_begin(shift) + GUARD_EXTRA_OFFSET, slots * GUARD_EXTRA_SIZE)))
            return 1;
    }
    return 0;
}
