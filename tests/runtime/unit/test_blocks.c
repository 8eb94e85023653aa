/* modules: blocks/blocks os/os */
#include "../../../runtime/blocks/blocks.h"
#include "unit.h"

/* Makes a block by hand, as the allocator would. */
static struct block_place make(unsigned shift, uint64_t index, uint64_t size, uint64_t offset,
                               uint8_t state) {
    if (blocks_cut[shift] <= index) blocks_cut[shift] = index + 1;
    struct block_record *record = block_record(shift, index);
    record->born = blocks_tick() | 3ull << BLOCK_ID_BITS;
    record->died = state == WH_BLOCK_FREED ? blocks_tick() : 0;
    record->size = (uint32_t)size;
    if (shift >= BLOCK_WIDE_SHIFT) blocks_wide_size[shift - BLOCK_WIDE_SHIFT][index] = size;
    record->offset = (uint16_t)(offset >> block_unit_shift(shift));
    record->state = state;
    return (struct block_place){index, shift};
}

static int same(struct block_place a, struct block_place b) {
    return a.index == b.index && (!a.index || a.shift == b.shift);
}

static const struct block_place none = {0, 0};

static void slot_and_address_are_inverse(void) {
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift <= WH_MAX_SLOT_SHIFT; shift++) {
        uint64_t last = region_slots(shift) - 1;
        blocks_cut[shift] = region_slots(shift);
        const uint64_t indexes[] = {1, last / 2 ? last / 2 : 1, last};
        for (int i = 0; i < 3; i++) {
            uintptr_t begin = slot_begin(shift, indexes[i]), end = begin + (1ull << shift) - 1;
            CHECK_EQUAL(slot_shift(begin), shift);
            CHECK(same(block_place(begin), (struct block_place){indexes[i], shift}));
            CHECK(same(block_place(end), (struct block_place){indexes[i], shift}));
        }
        blocks_cut[shift] = 1;
        CHECK(same(block_place(slot_begin(shift, 1)), none)); /* not cut */
    }
}

static void addresses_outside_belong_to_no_slot(void) {
    const uintptr_t outside[] = {0,
                                 WH_HEAP_BASE - 1,
                                 WH_HEAP_BASE,
                                 WH_HEAP_BASE + WH_HEAP_SIZE,
                                 region_begin(WH_MAX_SLOT_SHIFT + 1),
                                 UINTPTR_MAX};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        CHECK(same(block_place(outside[i]), none));
        CHECK(same(blocks_nearest(outside[i]), none));
        CHECK(same(blocks_holding(outside[i]), none));
    }
}

static void holding_is_strict(void) {
    struct block_place place = make(7, 5, 100, 16, WH_BLOCK_LIVE);
    uintptr_t begin = slot_begin(7, 5) + 16;
    CHECK(same(blocks_holding(begin), place));
    CHECK(same(blocks_holding(begin + 99), place));
    CHECK(same(blocks_holding(begin + 100), none));
    CHECK(same(blocks_holding(begin - 1), none));
    CHECK(blocks_live(begin, 100));
    CHECK(!blocks_live(begin, 101));
    CHECK(!blocks_live(begin + 1, UINT64_MAX));
    struct block_place empty = make(7, 6, 0, 0, WH_BLOCK_LIVE);
    CHECK(same(blocks_holding(slot_begin(7, 6)), none));
    CHECK(same(blocks_nearest(slot_begin(7, 6)), empty));
}

static void nearest_prefers_the_closer_block(void) {
    struct block_place first = make(6, 10, 40, 0, WH_BLOCK_LIVE);
    struct block_place second = make(6, 11, 48, 0, WH_BLOCK_FREED);
    uintptr_t end = slot_begin(6, 10) + 40, next = slot_begin(6, 11);
    CHECK(same(blocks_nearest(end), first));
    CHECK(same(blocks_nearest(end + 11), first)); /* 12 bytes from both: the overflow */
    CHECK(same(blocks_nearest(next - 8), second));
    CHECK(same(blocks_nearest(next - 1), second));
    CHECK(same(blocks_nearest(slot_begin(6, 9)), first)); /* its own slot is empty */
    CHECK(same(blocks_nearest(slot_begin(6, 8)), none));  /* more than a slot away */
}

static void rows_are_read_whole(void) {
    struct whence_block row;
    struct block_place place = make(9, 3, 300, 64, WH_BLOCK_FREED);
    blocks_read(place, &row);
    CHECK_EQUAL(row.begin, slot_begin(9, 3) + 64);
    CHECK_EQUAL(row.size, 300);
    CHECK_EQUAL(row.thread, 3);
    CHECK_EQUAL(row.state, WH_BLOCK_FREED);
    CHECK_EQUAL(row.free_ptr, row.begin);
    CHECK_EQUAL(row.free_time, row.id + 1);
    blocks_read(none, &row);
    CHECK_EQUAL(row.id, 0);
    blocks_read((struct block_place){2, 9}, &row); /* cut, never used */
    CHECK_EQUAL(row.id, 0);
}

static void sizes_of_four_gigabytes_and_more_are_exact(void) {
    uint64_t size = (5ull << 30) + 3;
    struct block_place place = make(33, 2, size, 1ull << 21, WH_BLOCK_LIVE);
    struct whence_block row;
    blocks_read(place, &row);
    CHECK_EQUAL(row.size, size);
    CHECK_EQUAL(row.begin, slot_begin(33, 2) + (1ull << 21));
    CHECK(same(blocks_holding(row.begin + size - 1), place));
    CHECK(same(blocks_holding(row.begin + size), none));
}

static void iteration_visits_each_block_once(void) {
    uint64_t cursor = 0, live = 0, freed = 0, both = 0;
    uintptr_t before = 0;
    struct block_place place;
    while ((place = blocks_next(&cursor, 0)).index) {
        CHECK(slot_begin(place.shift, place.index) > before);
        before = slot_begin(place.shift, place.index);
        CHECK(
            same(blocks_find(block_record(place.shift, place.index)->born & BLOCK_ID_MASK), place));
        both++;
    }
    CHECK(!blocks_next(&cursor, 0).index);
    for (cursor = 0; blocks_next(&cursor, WH_BLOCK_LIVE).index;) live++;
    for (cursor = 0; blocks_next(&cursor, WH_BLOCK_FREED).index;) freed++;
    CHECK_EQUAL(both, 6);
    CHECK_EQUAL(live, 4);
    CHECK_EQUAL(freed, 2);
    CHECK(same(blocks_find(1ull << 40), none));
}

int main(void) {
    uintptr_t begin;
    size_t size;
    CHECK_EQUAL(blocks_init(&begin, &size), 0);
    slot_and_address_are_inverse();
    addresses_outside_belong_to_no_slot();
    holding_is_strict();
    nearest_prefers_the_closer_block();
    rows_are_read_whole();
    sizes_of_four_gigabytes_and_more_are_exact();
    iteration_visits_each_block_once();
    return 0;
}
