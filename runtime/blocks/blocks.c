#include "blocks.h"
#include "../os/mem.h"

uint64_t blocks_reserved;
uint64_t blocks_cut[BLOCK_SHIFTS];
uint64_t blocks_clock;
unsigned guard_first_shift;
uint64_t guard_front;
uint64_t blocks_wide_size[BLOCK_SHIFTS - BLOCK_WIDE_SHIFT]
                         [1u << (WH_REGION_SHIFT - BLOCK_WIDE_SHIFT)];

static long reserve(uintptr_t at, uint64_t bytes, uintptr_t *begin, size_t *size) {
    *begin = at;
    *size = wh_round_up(bytes, OS_PAGE);
    return os_reserve(*begin, *size, OS_READ_WRITE);
}

/* Only the part of the range that slots can use is taken: a program image may
 * lie between the tables of two regions. */
long blocks_init(uintptr_t *begin, size_t *size) {
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift <= WH_MAX_SLOT_SHIFT; shift++) {
        uint64_t slots = region_slots(shift) + 1;
        long result = reserve(meta_begin(shift), slots * sizeof(struct block_record), begin, size);
        if (result == 0)
            result = reserve((uintptr_t)block_links(shift), slots * sizeof(uint32_t), begin, size);
        if (result == 0 && GUARD_EXTRA_OFFSET)
            result = reserve(meta_begin(shift) + GUARD_EXTRA_OFFSET, slots * GUARD_EXTRA_SIZE,
                             begin, size);
        if (result < 0) return result;
        blocks_cut[shift] = region_before(shift) + 1;
    }
    return 0;
}

static const struct block_place no_place = {0, 0};

struct block_place blocks_holding(uintptr_t address) {
    struct block_place place = block_place(address);
    if (!place.index) return no_place;
    const struct block_record *record = block_record(place.shift, place.index);
    uintptr_t begin = block_begin(record, place.shift, place.index);
    int inside =
        block_used(record) && address - begin < block_size(record, place.shift, place.index);
    return inside ? place : no_place;
}

/* Bytes between an address and a block; 0 inside it. The first byte after a block has distance 1,
 * like the last byte before one. */
static uint64_t distance(uintptr_t address, struct block_place place) {
    const struct block_record *record = block_record(place.shift, place.index);
    uintptr_t begin = block_begin(record, place.shift, place.index);
    uintptr_t end = begin + block_size(record, place.shift, place.index);
    if (address < begin) return begin - address;
    return address < end ? 0 : address - end + 1;
}

struct block_place blocks_nearest(uintptr_t address) {
    unsigned shift = slot_shift(address);
    if (!heap_contains(address) || shift < WH_MIN_SLOT_SHIFT || shift > WH_MAX_SLOT_SHIFT)
        return no_place;
    uint64_t index = (address & ((1ull << WH_REGION_SHIFT) - 1)) >> shift;
    /* The own slot first, then the one before: on a tie the overflow is likelier. */
    const uint64_t candidates[] = {index, index - 1, index + 1};
    struct block_place best = no_place;
    uint64_t best_distance = UINT64_MAX;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        struct block_place place = {candidates[i], shift};
        if (place.index == 0 || place.index >= blocks_cut[shift]) continue;
        if (!block_used(block_record(shift, place.index))) continue;
        uint64_t far = distance(address, place);
        if (far < best_distance) {
            best = place;
            best_distance = far;
        }
    }
    return best;
}

void blocks_read(struct block_place place, struct whence_block *out) {
    *out = (struct whence_block){0};
    if (!place.index) return;
    const struct block_record *record = block_record(place.shift, place.index);
    if (!block_used(record)) return;
    out->begin = block_begin(record, place.shift, place.index);
    out->size = block_size(record, place.shift, place.index);
    out->state = record->state;
    /* Only a pointer to the begin frees a block. */
    out->free_ptr = record->state == WH_BLOCK_FREED ? out->begin : 0;
    out->family = record->family;
    out->kind = WH_KIND_HEAP;
    out->id = life_id(record);
    out->free_time = life_free_time(record);
    out->thread = life_thread(record);
}

#define CURSOR_INDEX_BITS 40

struct block_place blocks_next(uint64_t *cursor, uint64_t state) {
    unsigned shift = (unsigned)(*cursor >> CURSOR_INDEX_BITS);
    uint64_t index = *cursor & ((1ull << CURSOR_INDEX_BITS) - 1);
    for (shift = shift < WH_MIN_SLOT_SHIFT ? WH_MIN_SLOT_SHIFT : shift; shift <= WH_MAX_SLOT_SHIFT;
         shift++, index = 0) {
        if (index < region_before(shift)) index = region_before(shift);
        while (++index < blocks_cut[shift]) {
            const struct block_record *record = block_record(shift, index);
            if (!block_used(record) || (state && record->state != state)) continue;
            *cursor = ((uint64_t)shift << CURSOR_INDEX_BITS) | index;
            return (struct block_place){index, shift};
        }
    }
    *cursor = (uint64_t)BLOCK_SHIFTS << CURSOR_INDEX_BITS;
    return no_place;
}

struct block_place blocks_find(uint64_t id) {
    uint64_t cursor = 0;
    for (;;) {
        struct block_place place = blocks_next(&cursor, 0);
        if (!place.index) return place;
        if (life_id(block_record(place.shift, place.index)) == id) return place;
    }
}

uintptr_t blocks_live_end(uintptr_t address) {
    struct block_place place = blocks_holding(address);
    if (!place.index) return 0;
    const struct block_record *record = block_record(place.shift, place.index);
    if (record->state != WH_BLOCK_LIVE) return 0;
    return block_begin(record, place.shift, place.index) +
           block_size(record, place.shift, place.index);
}

int blocks_live(uintptr_t address, uint64_t size) {
    uintptr_t end = blocks_live_end(address);
    return end && size <= end - address;
}
