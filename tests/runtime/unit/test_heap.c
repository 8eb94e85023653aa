/* modules: alloc/heap alloc/loader alloc/pages alloc/slots blocks/block blocks/blocks blocks/claims planes/planes os/os */
#include "memory.h"

static struct heap_cache cache;

static uintptr_t new_aligned(uint64_t size, uint64_t alignment) {
    struct heap_request request = {size, alignment, 0, 0, WH_FAMILY_MALLOC, 0, 0, 0};
    return heap_new(&cache, &request);
}

static uintptr_t new(uint64_t size) { return new_aligned(size, 16); }

static void end(uintptr_t begin) { CHECK(heap_release(&cache, heap_block(begin), 0, 0)); }

static void zones_are_closed(uintptr_t begin, uint64_t size) {
    CHECK_EQUAL(plane_first_bad(begin, size), begin + size);
    CHECK_EQUAL(plane_first_bad(begin + size, 1), begin + size);
    CHECK_EQUAL(plane_first_bad(begin + size + WH_RED_ZONE - 1, 1), begin + size + WH_RED_ZONE - 1);
    CHECK_EQUAL(plane_first_bad(begin - 1, 1), begin - 1);
    CHECK_EQUAL(plane_first_bad(begin - WH_RED_ZONE, 1), begin - WH_RED_ZONE);
}

static void every_size_has_zones_on_both_sides(void) {
    for (uint64_t size = 0; size < 5000; size++) {
        uintptr_t begin = new(size);
        CHECK(begin % 16 == 0);
        zones_are_closed(begin, size);
        struct whence_block row;
        block_read(heap_block(begin), &row);
        CHECK_EQUAL(row.begin, begin);
        CHECK_EQUAL(row.size, size);
        end(begin);
        CHECK_EQUAL(plane_first_bad(begin, 1), begin);
    }
    for (unsigned shift = 13; shift < 30; shift++)
        for (int64_t more = -17; more <= 1; more++) {
            uint64_t size = (1ull << shift) + (uint64_t)more;
            uintptr_t begin = new(size);
            zones_are_closed(begin, size);
            *(volatile char *)begin = *(volatile char *)(begin + size - 1) = 1;
            end(begin);
            CHECK_EQUAL(plane_first_bad(begin, 1), begin);
        }
}

static void slots_are_found_by_arithmetic(void) {
    CHECK_EQUAL(heap_shift(0, 16), 5);
    CHECK_EQUAL(heap_shift(16, 16), 5);
    CHECK_EQUAL(heap_shift(17, 16), 6);
    CHECK_EQUAL(heap_shift(48, 16), 6);
    CHECK_EQUAL(heap_shift(49, 16), 7);
    CHECK_EQUAL(heap_shift(1, 4096), 12);
    CHECK_EQUAL(heap_shift(HEAP_MAX_SIZE, 16), WH_MAX_SLOT_SHIFT);
    CHECK_EQUAL(heap_shift(HEAP_MAX_SIZE + 1, 16), 0);
    CHECK_EQUAL(heap_shift(UINT64_MAX, 16), 0);
    CHECK_EQUAL(heap_shift(1, 1ull << 40), 0);
}

static void offsets_leave_the_red_zone_and_fit_the_record(void) {
    for (int round = 0; round < 200000; round++) {
        uint64_t size = unit_random() >> (27 + unit_below(37));
        uint64_t alignment = 16ull << unit_below(10);
        unsigned shift = heap_shift(size, alignment);
        if (!shift) continue;
        uint64_t offset = heap_offset(shift, unit_below(1 << 20), size, alignment);
        CHECK(offset + size + WH_RED_ZONE <= 1ull << shift);
        CHECK(offset % alignment == 0);
        CHECK(offset % block_unit(shift) == 0);
        CHECK(offset >> block_unit_shift(shift) <= UINT16_MAX);
    }
}

static void alignment_is_kept(void) {
    for (uint64_t alignment = 16; alignment <= 1 << 22; alignment *= 2) {
        uintptr_t a = new_aligned(100, alignment), b = new_aligned(alignment, alignment);
        CHECK(a % alignment == 0 && b % alignment == 0);
        end(a);
        end(b);
    }
}

/* Random blocks, each filled with its own byte; none may disturb another. */
#define LIVE 2000
static void random_blocks_do_not_overlap(void) {
    static struct {
        uintptr_t begin;
        uint64_t size;
        uint8_t byte;
    } live[LIVE];
    for (int round = 0; round < 300000; round++) {
        unsigned at = (unsigned)unit_below(LIVE);
        if (live[at].begin) {
            const uint8_t *bytes = (const uint8_t *)live[at].begin;
            for (uint64_t i = 0; i < live[at].size; i++) CHECK(bytes[i] == live[at].byte);
            end(live[at].begin);
        }
        live[at].size = unit_below(1ull << unit_below(14));
        live[at].byte = (uint8_t)round;
        live[at].begin = new(live[at].size);
        memset((void *)live[at].begin, live[at].byte, live[at].size);
    }
    for (unsigned at = 0; at < LIVE; at++)
        if (live[at].begin) end(live[at].begin);
}

static void zeroed_memory_is_zero_when_reused(void) {
    for (int round = 0; round < 2000; round++) {
        uint64_t size = 1 + unit_below(100000);
        struct heap_request request = {size, 16, 0, 0, WH_FAMILY_MALLOC, 1, 0, 0};
        uint8_t *bytes = (uint8_t *)heap_new(&cache, &request);
        for (uint64_t i = 0; i < size; i++) CHECK(bytes[i] == 0);
        memset(bytes, 0xff, size);
        end((uintptr_t)bytes);
    }
}

static void a_freed_block_is_not_freed_again(void) {
    uintptr_t begin = new(24);
    struct block place = heap_block(begin);
    CHECK(heap_release(&cache, place, 7, 1));
    CHECK(!heap_release(&cache, place, 8, 2));
    CHECK_EQUAL(block_record(place.region, place.slot)->free_stack, 7);
}

static void quarantine_is_first_in_first_out(void) {
    heap_configure(0, 100);
    struct heap_cache closed = {0};
    heap_close(&closed); /* no cache: every free goes to the quarantine at once */
    struct heap_request request = {40, 16, 0, 0, WH_FAMILY_MALLOC, 0, 0, 0};
    uintptr_t freed[400];
    for (int i = 0; i < 400; i++) freed[i] = heap_new(&closed, &request);
    for (int i = 0; i < 400; i++) {
        CHECK(heap_release(&closed, heap_block(freed[i]), 0, 0));
        CHECK(heap_quarantined_count(6) <= 100 || i < 100);
    }
    CHECK_EQUAL(heap_quarantined_count(6), 100);
    for (int i = 0; i < 300; i++) { /* the 300 oldest may be used again, the 100 youngest not */
        uintptr_t again = heap_new(&closed, &request);
        for (int young = 300; young < 400; young++) CHECK(again != freed[young]);
    }
    heap_configure(1 << 20, 8);
}

/* Above the bound, no class holds more than the depth. */
static void quarantine_is_bounded_in_bytes(void) {
    uint32_t most = 0;
    heap_configure(16 << 20, 8);
    for (int round = 0; round < 5000; round++) {
        end(new(unit_below(200000)));
        if (heap_quarantined_bytes() <= 16 << 20) continue;
        for (unsigned shift = WH_MIN_SLOT_SHIFT; shift <= WH_MAX_SLOT_SHIFT; shift++)
            CHECK(heap_quarantined_count(shift) <= 8);
    }
    for (unsigned shift = 10; shift < 19; shift++)
        if (heap_quarantined_count(shift) > most) most = heap_quarantined_count(shift);
    CHECK(most > 8 || heap_quarantined_bytes() > 16 << 20);
}

static void memory_runs_out_politely(void) {
    CHECK_EQUAL(new(HEAP_MAX_SIZE + 1), 0);
    uintptr_t huge[8];
    int count = 0;
    while (count < 8 && (huge[count] = new(HEAP_MAX_SIZE))) count++;
    CHECK_EQUAL(count, 1); /* the region holds two slots, and the first is never used */
    end(huge[0]);
    CHECK_EQUAL(new(HEAP_MAX_SIZE), huge[0]); /* from the quarantine, for want of another */
    CHECK(new(HEAP_MAX_SIZE / 4) != 0);
}

static void closed_cache_gives_everything_back(void) {
    static struct heap_cache other;
    struct heap_request request = {100, 16, 0, 0, WH_FAMILY_MALLOC, 0, 0, 0};
    uintptr_t first = heap_new(&other, &request);
    CHECK(heap_release(&other, heap_block(first), 0, 0));
    heap_close(&other);
    for (unsigned shift = 0; shift < HEAP_CACHED_SHIFTS; shift++)
        CHECK(other.ready[shift] == 0 && other.freed[shift] == 0);
    uintptr_t late = heap_new(&other, &request); /* still works */
    CHECK(heap_release(&other, heap_block(late), 0, 0));
    CHECK(other.freed[7] == 0);
}

/* A short quarantine is each cache's own, and none of its slots is lost when the cache ends. */
static void short_quarantines_are_kept_in_caches(void) {
    static struct heap_cache own;
    struct heap_request request = {200, 16, 0, 0, WH_FAMILY_MALLOC, 0, 0, 0};
    static struct heap_cache none;
    uintptr_t blocks[600], first = 0;
    heap_configure(0, 8);
    heap_close(&none);
    uint64_t begun = blocks_cut[8];
    while (blocks_cut[8] == begun) CHECK(heap_new(&none, &request)); /* those of other tests */
    begun = blocks_cut[8];
    uint32_t held = heap_quarantined_count(8);
    for (int i = 0; i < 10; i++) {
        uintptr_t begin = heap_new(&own, &request);
        if (!first) first = begin;
        CHECK((begin == first) == (i == 0 || i == 9));
        CHECK(heap_release(&own, heap_block(begin), 0, 0));
        CHECK(!heap_release(&own, heap_block(begin), 0, 0));
    }
    CHECK_EQUAL(heap_quarantined_count(8), held);
    for (int round = 0; round < 3; round++) { /* more than a cache holds */
        for (int i = 0; i < 600; i++) blocks[i] = heap_new(&own, &request);
        for (int i = 0; i < 600; i++) {
            CHECK(i == 0 || blocks[i] != blocks[i - 1]);
            CHECK(heap_release(&own, heap_block(blocks[i]), 0, 0));
        }
    }
    uint64_t ended = blocks_cut[8];
    heap_close(&own);
    CHECK_EQUAL(heap_quarantined_count(8), 8);
    for (uint64_t i = begun + 8; i < ended + held; i++) {
        CHECK_EQUAL(blocks_cut[8], ended);
        CHECK(heap_new(&none, &request));
    }
    CHECK(heap_new(&none, &request));
    CHECK_EQUAL(blocks_cut[8], ended + 1);
    heap_configure(1 << 20, 8);
}

static void a_block_is_resized_where_it_is(void) {
    uintptr_t begin = new(100);
    struct block place = heap_block(begin);
    CHECK(heap_resize(place, 110));
    zones_are_closed(begin, 110);
    CHECK(heap_resize(place, 70));
    zones_are_closed(begin, 70);
    CHECK(!heap_resize(place, 300)); /* no room */
    CHECK(!heap_resize(place, 20));  /* a waste of the slot */
    CHECK_EQUAL(record_size(block_record(place.region, place.slot), place.region, place.slot), 70);
    end(begin);
    struct heap_request roomy = {20000, 16, 0, 0, WH_FAMILY_MALLOC, 0, 1, 0};
    begin = heap_new(&cache, &roomy);
    CHECK(heap_resize(heap_block(begin), 150000));
    zones_are_closed(begin, 150000);
    end(begin);
    CHECK_EQUAL(plane_first_bad(begin + 149999, 1), begin + 149999);
}

int main(void) {
    begin_memory();
    slots_are_found_by_arithmetic();
    offsets_leave_the_red_zone_and_fit_the_record();
    every_size_has_zones_on_both_sides();
    alignment_is_kept();
    random_blocks_do_not_overlap();
    zeroed_memory_is_zero_when_reused();
    a_freed_block_is_not_freed_again();
    quarantine_is_first_in_first_out();
    quarantine_is_bounded_in_bytes();
    memory_runs_out_politely();
    closed_cache_gives_everything_back();
    short_quarantines_are_kept_in_caches();
    a_block_is_resized_where_it_is();
    return 0;
}
