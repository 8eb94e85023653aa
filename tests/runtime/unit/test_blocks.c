/* modules: blocks/block blocks/blocks blocks/claims os/os planes/planes */
#include "../../../runtime/blocks/block.h"
#include "unit.h"

/* Makes a block by hand, as the allocator would. */
static struct block make(unsigned shift, uint64_t index, uint64_t size, uint64_t offset,
                         uint8_t state) {
    if (blocks_cut[shift] <= index) blocks_cut[shift] = index + 1;
    struct block_record *record = block_record(shift, index);
    record->born = blocks_tick() | 3ull << BLOCK_ID_BITS;
    record->died = state == WH_BLOCK_FREED ? blocks_tick() : 0;
    record->size = (uint32_t)size;
    if (shift >= BLOCK_WIDE_SHIFT) blocks_wide_size[shift - BLOCK_WIDE_SHIFT][index] = size;
    record->offset = (uint16_t)(offset >> block_unit_shift(shift));
    record->state = state;
    return (struct block){index, shift};
}

static const struct block none = {0, 0};

static void slot_and_address_are_inverse(void) {
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift <= WH_MAX_SLOT_SHIFT; shift++) {
        uint64_t last = region_slots(shift) - 1;
        blocks_cut[shift] = region_slots(shift);
        const uint64_t indexes[] = {1, last / 2 ? last / 2 : 1, last};
        for (int i = 0; i < 3; i++) {
            uintptr_t begin = slot_begin(shift, indexes[i]), end = begin + (1ull << shift) - 1;
            CHECK_EQUAL(slot_shift(begin), shift);
            CHECK(block_same(heap_block(begin), (struct block){indexes[i], shift}));
            CHECK(block_same(heap_block(end), (struct block){indexes[i], shift}));
        }
        blocks_cut[shift] = 1;
        CHECK(block_same(heap_block(slot_begin(shift, 1)), none)); /* not cut */
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
        CHECK(block_same(heap_block(outside[i]), none));
        CHECK(block_same(block_nearest(outside[i]), none));
        CHECK(block_same(block_at(outside[i]), none));
    }
}

static void holding_is_strict(void) {
    struct block place = make(7, 5, 100, 16, WH_BLOCK_LIVE);
    uintptr_t begin = slot_begin(7, 5) + 16;
    CHECK(block_same(block_at(begin), place));
    CHECK(block_same(block_at(begin + 99), place));
    CHECK(block_same(block_at(begin + 100), none));
    CHECK(block_same(block_at(begin - 1), none));
    CHECK(blocks_live(begin, 100));
    CHECK(!blocks_live(begin, 101));
    CHECK(!blocks_live(begin + 1, UINT64_MAX));
    struct block empty = make(7, 6, 0, 0, WH_BLOCK_LIVE);
    CHECK(block_same(block_at(slot_begin(7, 6)), none));
    CHECK(block_same(block_nearest(slot_begin(7, 6)), empty));
}

static void nearest_prefers_the_closer_block(void) {
    struct block first = make(6, 10, 40, 0, WH_BLOCK_LIVE);
    struct block second = make(6, 11, 48, 0, WH_BLOCK_FREED);
    uintptr_t end = slot_begin(6, 10) + 40, next = slot_begin(6, 11);
    CHECK(block_same(block_nearest(end), first));
    CHECK(block_same(block_nearest(end + 11), first)); /* 12 bytes from both: the overflow */
    CHECK(block_same(block_nearest(next - 8), second));
    CHECK(block_same(block_nearest(next - 1), second));
    CHECK(block_same(block_nearest(slot_begin(6, 9)), first)); /* its own slot is empty */
    CHECK(block_same(block_nearest(slot_begin(6, 8)), none));  /* more than a slot away */
}

static void rows_are_read_whole(void) {
    struct whence_block row;
    struct block place = make(9, 3, 300, 64, WH_BLOCK_FREED);
    block_read(place, &row);
    CHECK_EQUAL(row.begin, slot_begin(9, 3) + 64);
    CHECK_EQUAL(row.size, 300);
    CHECK_EQUAL(row.thread, 3);
    CHECK_EQUAL(row.state, WH_BLOCK_FREED);
    CHECK_EQUAL(row.free_ptr, row.begin);
    CHECK_EQUAL(row.free_time, row.id + 1);
    block_read(none, &row);
    CHECK_EQUAL(row.id, 0);
    block_read((struct block){2, 9}, &row); /* cut, never used */
    CHECK_EQUAL(row.id, 0);
}

static void sizes_of_four_gigabytes_and_more_are_exact(void) {
    uint64_t size = (5ull << 30) + 3;
    struct block place = make(33, 2, size, 1ull << 21, WH_BLOCK_LIVE);
    struct whence_block row;
    block_read(place, &row);
    CHECK_EQUAL(row.size, size);
    CHECK_EQUAL(row.begin, slot_begin(33, 2) + (1ull << 21));
    CHECK(block_same(block_at(row.begin + size - 1), place));
    CHECK(block_same(block_at(row.begin + size), none));
}

/* Free, resize and the leak search see the whole block. */
static void accesses_begin_behind_a_cookie(void) {
    struct block place = make(8, 3, 100, 16, WH_BLOCK_LIVE);
    uintptr_t begin = slot_begin(8, 3) + 16;
    struct whence_block row;
    block_record(8, 3)->request = life_request(WH_FAMILY_NEW_ARRAY, 32);
    for (uint64_t size = 8; size <= 96; size += 88) {
        block_set_cookie(place, size);
        CHECK_EQUAL(block_cookie(place), size);
        CHECK_EQUAL(block_family(place), WH_FAMILY_NEW_ARRAY);
        CHECK_EQUAL(block_align(place), 32);
        CHECK_EQUAL(heap_live_range(begin).begin, begin + size);
        CHECK_EQUAL(heap_live_range(begin + 99).size, 100 - size);
        CHECK_EQUAL(heap_live_range(begin + 100).size, 0);
        block_read_accessible(place, &row);
        CHECK_EQUAL(row.begin, begin + size);
        CHECK_EQUAL(row.size, 100 - size);
        block_read(place, &row);
        CHECK_EQUAL(row.begin, begin);
        CHECK_EQUAL(row.size, 100);
        CHECK(heap_begins_live(place, begin));
        CHECK_EQUAL(blocks_live_end(begin), begin + 100);
        CHECK_EQUAL(plane_first_bad(begin, 100), begin);
    }
    block_set_cookie(place, 8);
    CHECK_EQUAL(plane_first_bad(begin + 8, 92), begin + 100);
    block_set_cookie(place, 0);
    CHECK_EQUAL(block_cookie(place), 0);
    CHECK_EQUAL(plane_first_bad(begin, 100), begin + 100);
    block_read_accessible(none, &row);
    CHECK_EQUAL(row.id, 0);
}

static void iteration_visits_each_block_once(void) {
    uint64_t cursor = 0, live = 0, freed = 0, both = 0;
    uintptr_t before = 0;
    struct block place;
    while (block_exists(place = block_next(&cursor, 0))) {
        CHECK(slot_begin(place.region, place.slot) > before);
        before = slot_begin(place.region, place.slot);
        CHECK(block_same(block_find(block_id(place)), place));
        both++;
    }
    CHECK(!block_exists(block_next(&cursor, 0)));
    for (cursor = 0; block_exists(block_next(&cursor, WH_BLOCK_LIVE));) live++;
    for (cursor = 0; block_exists(block_next(&cursor, WH_BLOCK_FREED));) freed++;
    CHECK_EQUAL(both, 6);
    CHECK_EQUAL(live, 4);
    CHECK_EQUAL(freed, 2);
    CHECK(block_same(block_find(1ull << 40), none));
}

static void larger_blocks_come_first_where_that_is_wanted(void) {
    uint64_t cursor = 0, count = 0;
    unsigned before = BLOCK_SHIFTS;
    struct block place;
    while (block_exists(place = block_next_larger(&cursor, 0))) {
        CHECK(place.region <= before);
        before = place.region;
        count++;
    }
    CHECK_EQUAL(count, 6);
    CHECK(!block_exists(block_next_larger(&cursor, 0)));
}

static void numbers_are_dense_and_older_than_later_blocks(void) {
    uint64_t count = blocks_number_all(), cursor = 0, seen = 0;
    uint8_t *taken = calloc(count, 1);
    struct block place;
    while (block_exists(place = block_next(&cursor, 0))) {
        uint64_t number = block_number(place);
        CHECK(number < count && !taken[number]);
        taken[number] = 1;
        seen++;
        CHECK(block_same(block_of_word(block_word(place)), place));
    }
    CHECK_EQUAL(seen, 6);
    CHECK_EQUAL(block_number(block_none()), BLOCK_UNNUMBERED);
    CHECK_EQUAL(block_number(make(12, 40, 4000, 0, WH_BLOCK_LIVE)), BLOCK_UNNUMBERED);
    CHECK(blocks_number_all() > count);
    free(taken);
}

static void gaps_end_at_the_heap(void) {
    const uintptr_t end = WH_HEAP_BASE + WH_HEAP_SIZE;
    CHECK_EQUAL(blocks_between(4096).size, 0);
    CHECK_EQUAL(blocks_between(PLANE_BEGIN).size, 0);
    CHECK_EQUAL(blocks_between(WH_NULL_PAGE_SIZE).begin, WH_NULL_PAGE_SIZE);
    CHECK_EQUAL(blocks_between(end).begin, end);
    CHECK_EQUAL(heap_live_range(slot_begin(7, 5) + 20).begin, slot_begin(7, 5) + 16);
    CHECK_EQUAL(blocks_reach(WH_HEAP_BASE - 1), WH_HEAP_BASE);
    CHECK_EQUAL(blocks_reach(slot_begin(7, 5) + 16), slot_begin(7, 5) + 116);
    CHECK_EQUAL(blocks_reach(slot_begin(7, 5) + 116), slot_begin(7, 5) + 116);
    CHECK(blocks_govern(WH_HEAP_BASE) && !blocks_govern(end));
    CHECK(blocks_apart(slot_begin(7, 5), slot_begin(7, 6)) && blocks_apart(4096, slot_begin(7, 6)));
    CHECK(!blocks_apart(slot_begin(7, 5), slot_begin(7, 6) - 1) && !blocks_apart(4096, 8192));
}

int main(void) {
    uintptr_t begin;
    size_t size;
    CHECK_EQUAL(planes_init(&begin, &size), 0);
    CHECK_EQUAL(blocks_init(&begin, &size), 0);
    slot_and_address_are_inverse();
    addresses_outside_belong_to_no_slot();
    holding_is_strict();
    nearest_prefers_the_closer_block();
    rows_are_read_whole();
    sizes_of_four_gigabytes_and_more_are_exact();
    iteration_visits_each_block_once();
    larger_blocks_come_first_where_that_is_wanted();
    numbers_are_dense_and_older_than_later_blocks();
    gaps_end_at_the_heap();
    accesses_begin_behind_a_cookie();
    return 0;
}
