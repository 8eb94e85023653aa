/* modules: planes/planes os/os */
#include "../../../runtime/planes/planes.h"
#include "unit.h"

#define ARENA 0x555000000000ull
#define SIZE 4096u

/* What the state bytes mean, byte by byte. */
static uint8_t model[SIZE];

static void open_range(size_t at, size_t size) {
    plane_open(ARENA + at, size);
    for (size_t i = at; i < at + size; i++) model[i] = 1;
}

static void poison(size_t at, size_t size) {
    plane_set(ARENA + at, size, WH_STATE_HEAP_RED_ZONE);
    for (size_t i = at; i < at + size; i++) model[i] = 0;
}

static void check_against_model(size_t begin, size_t size) {
    size_t expected = begin;
    while (expected < begin + size && model[expected]) expected++;
    CHECK_EQUAL(plane_first_bad(ARENA + begin, size) - ARENA, expected);
    if (size) CHECK_EQUAL(plane_clean(ARENA + begin, size), expected == begin + size);
}

static void check_run(size_t at) {
    struct whence_bounds run = plane_run(ARENA + at, (struct whence_bounds){ARENA, SIZE});
    size_t begin = at, end = at;
    if (model[at]) {
        while (begin && model[begin - 1]) begin--;
        while (end < SIZE && model[end]) end++;
    }
    CHECK_EQUAL(run.size, end - begin);
    if (run.size) CHECK_EQUAL(run.begin - ARENA, begin);
}

static void first_bad_agrees_with_a_byte_model(void) {
    poison(0, SIZE);
    for (int round = 0; round < 20000; round++) {
        size_t at = unit_below(SIZE / 8) * 8, size = unit_below(SIZE - at + 1);
        size_t whole = (size + 7) / 8 * 8;
        poison(at, whole);
        if (unit_below(3)) open_range(at, size);
        for (int probe = 0; probe < 4; probe++) {
            size_t begin = unit_below(SIZE);
            check_against_model(begin, unit_below(SIZE - begin + 1));
            check_run(begin);
        }
    }
}

static void null_page_is_poisoned(void) {
    CHECK_EQUAL(plane_first_bad(0, 1), 0);
    CHECK_EQUAL(plane_first_bad(WH_NULL_PAGE_SIZE - 1, 1), WH_NULL_PAGE_SIZE - 1);
    CHECK_EQUAL(plane_first_bad(WH_NULL_PAGE_SIZE, 8), WH_NULL_PAGE_SIZE + 8);
}

static void the_plane_does_not_cover_itself(void) {
    CHECK(plane_covers(0));
    CHECK(plane_covers(PLANE_BEGIN - 1));
    CHECK(!plane_covers(PLANE_BEGIN));
    CHECK(!plane_covers(PLANE_END - 1));
    CHECK(plane_covers(PLANE_END));
    CHECK(plane_covers(ADDRESS_END - 1));
    CHECK(!plane_covers(ADDRESS_END));
    CHECK(!plane_covers(UINTPTR_MAX));
}

static void both_ends_of_memory_have_state(void) {
    *plane_state(ADDRESS_END - 8) = WH_STATE_USER;
    CHECK_EQUAL(plane_first_bad(ADDRESS_END - 16, 16), ADDRESS_END - 8);
    *plane_state(ADDRESS_END - 8) = 0;
}

static void reserved_definedness_states_are_addressable(void) {
    plane_set(ARENA, 8, WH_STATE_UNDEFINED);
    plane_set(ARENA + 8, 8, WH_STATE_MIXED);
    plane_set(ARENA + 16, 8, WH_STATE_ADDRESSABLE);
    CHECK_EQUAL(plane_first_bad(ARENA, 24), ARENA + 24);
}

int main(void) {
    uintptr_t begin;
    size_t size;
    CHECK_EQUAL(planes_init(&begin, &size), 0);
    CHECK(planes_init(&begin, &size) < 0); /* taken now */
    CHECK_EQUAL(begin, PLANE_BEGIN);
    null_page_is_poisoned();
    the_plane_does_not_cover_itself();
    both_ends_of_memory_have_state();
    first_bad_agrees_with_a_byte_model();
    reserved_definedness_states_are_addressable();
    return 0;
}
