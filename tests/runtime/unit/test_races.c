/* modules: races/cells races/clocks stacks/depot os/os */
#include "../../../runtime/process/thread.h"
#include "../../../runtime/races/cells.h"
#include "../../../runtime/races/clocks.h"
#include "../../../runtime/stacks/depot.h"
#include "unit.h"

#include <stdlib.h>

/* ---- what the modules take from others ---- */

void *rt_private(size_t size) { return calloc(1, size); }
void rt_note(int *noted, const char *sentence) {
    (void)sentence;
    (*noted)++;
}

static unsigned found;
static struct step last;

static void conflict(struct cell_access *access, const struct step *earlier) {
    (void)access;
    found++;
    last = *earlier;
}

static uint32_t no_stack(struct cell_access *access) {
    (void)access;
    return 0;
}

/* ---- two threads, played by one ---- */

#define PLACE 0x10000000ul

static struct racer *first, *second;

static unsigned touch(struct racer *racer, uintptr_t at, unsigned bytes, uint64_t how) {
    struct cell_access access = {no_stack, conflict};
    unsigned first_byte = (unsigned)__builtin_ctz(bytes);
    found = 0;
    if (!cells_know(at, cell_word(racer, bytes, how)))
        cells_access(racer, at + first_byte, (unsigned)__builtin_popcount(bytes), how, &access);
    return found;
}

static void begin(void) {
    uintptr_t at;
    size_t size;
    CHECK(cells_init(&at, &size) == 0);
    CHECK(clocks_init(&at, &size) == 0);
    CHECK(racers_begin(0));
    first = racer_here;
    second = racer_new(1, 0);
    CHECK(second && first != second);
}

static void accesses_conflict_as_long_as_nothing_orders_them(void) {
    CHECK_EQUAL(touch(first, PLACE, 0x0f, CELL_WRITES), 0);
    CHECK_EQUAL(touch(first, PLACE, 0x0f, 0), 0);
    CHECK_EQUAL(touch(second, PLACE, 0xf0, CELL_WRITES), 0);
    CHECK_EQUAL(touch(second, PLACE, 0x08, 0), 1);
    CHECK(last.writes && last.bytes == 0x0f);
    CHECK_EQUAL(racer_at(last.lane, last.epoch), 0);
    cells_clear(PLACE, 8);
    CHECK_EQUAL(touch(second, PLACE, 0x08, CELL_WRITES), 0);
    cells_clear(PLACE, 8);
}

static void bytes_that_one_step_comes_to_share_a_cell(void) {
    for (unsigned byte = 0; byte < 8; byte++)
        CHECK_EQUAL(touch(first, PLACE, 1u << byte, CELL_WRITES), 0);
    CHECK_EQUAL(touch(first, PLACE, 0xff, 0), 0);
    CHECK_EQUAL(touch(second, PLACE, 0x01, 0), 1);
    CHECK(last.bytes == 0xff);
    cells_clear(PLACE, 8);
    /* What another thread has done to the bytes before is no conflict of the later ones. */
    CHECK_EQUAL(touch(first, PLACE, 0x01, CELL_WRITES), 0);
    CHECK_EQUAL(touch(second, PLACE, 0x01, CELL_WRITES), 1);
    CHECK_EQUAL(touch(first, PLACE, 0x02, CELL_WRITES), 0);
    CHECK_EQUAL(touch(second, PLACE, 0x01, CELL_WRITES), 0);
    cells_clear(PLACE, 8);
}

static void ranges_are_looked_at_granule_by_granule(void) {
    struct cell_access access = {no_stack, conflict};
    cells_access(first, PLACE + 3, 0x20000, CELL_WRITES, &access);
    CHECK_EQUAL(touch(second, PLACE, 0x07, CELL_WRITES), 0);
    CHECK_EQUAL(touch(second, PLACE + 0x20000, 0xf8, CELL_WRITES), 0);
    found = 0;
    cells_access(second, PLACE + 0x10001, 16, 0, &access);
    CHECK_EQUAL(found, 3);
    cells_clear(PLACE, 0x20008);
}

static void reads_and_atomic_accesses_do_not_conflict(void) {
    CHECK_EQUAL(touch(first, PLACE, 0xff, 0), 0);
    CHECK_EQUAL(touch(second, PLACE, 0xff, 0), 0);
    CHECK_EQUAL(touch(first, PLACE + 8, 0xff, CELL_WRITES | CELL_ATOMIC), 0);
    CHECK_EQUAL(touch(second, PLACE + 8, 0xff, CELL_WRITES | CELL_ATOMIC), 0);
    CHECK_EQUAL(touch(second, PLACE + 8, 0x01, 0), 1);
    cells_clear(PLACE, 16);
}

static void a_release_orders_what_was_before_it(void) {
    struct clock *clock = clock_at(PLACE + 64, 1);
    CHECK(clock && clock_at(PLACE + 64, 0) == clock);
    CHECK_EQUAL(touch(first, PLACE, 0xff, CELL_WRITES), 0);
    clock_release(first, clock);
    CHECK_EQUAL(touch(first, PLACE + 8, 0xff, CELL_WRITES), 0);
    clock_acquire(second, clock);
    CHECK_EQUAL(touch(second, PLACE, 0xff, CELL_WRITES), 0);
    CHECK_EQUAL(touch(second, PLACE + 8, 0xff, 0), 1);
    cells_clear(PLACE, 16);
    clocks_clear(PLACE + 64, 8);
    CHECK(!clock_at(PLACE + 64, 0));
}

static void two_releases_without_a_step_between_hide_nothing(void) {
    struct clock *clock = clock_at(PLACE + 64, 1);
    clock_release(first, clock);
    clock_release(first, clock);
    CHECK_EQUAL(touch(first, PLACE, 0xff, CELL_WRITES), 0);
    clock_acquire(second, clock);
    CHECK_EQUAL(touch(second, PLACE, 0xff, 0), 1);
    cells_clear(PLACE, 8);
    clocks_clear(PLACE + 64, 8);
}

static void a_thread_comes_after_its_creator_and_before_who_joins_it(void) {
    CHECK_EQUAL(touch(first, PLACE, 0xff, CELL_WRITES), 0);
    racer_here = first;
    struct racer *third = racer_new(2, 0);
    CHECK_EQUAL(touch(third, PLACE, 0xff, CELL_WRITES), 0);
    CHECK_EQUAL(touch(first, PLACE + 8, 0xff, CELL_WRITES), 0);
    CHECK_EQUAL(touch(third, PLACE + 8, 0xff, 0), 1);
    CHECK_EQUAL(touch(third, PLACE + 16, 0xff, CELL_WRITES), 0);
    racer_joined(2);
    CHECK_EQUAL(touch(first, PLACE + 16, 0xff, 0), 0);
    CHECK_EQUAL(touch(second, PLACE + 16, 0xff, 0), 1);
    cells_clear(PLACE, 24);
}

/* Further threads than there are lanes: nothing is recorded, and nothing is found. */
static void threads_without_a_lane_are_silent(void) {
    racer_here = first;
    struct racer *racer = NULL;
    for (uint16_t number = 3; number < 400; number++) racer = racer_new(number, 0);
    CHECK_EQUAL(racer->lane, LANE_NONE);
    CHECK_EQUAL(touch(racer, PLACE, 0xff, CELL_WRITES), 0);
    CHECK_EQUAL(touch(second, PLACE, 0xff, CELL_WRITES), 0);
    for (uint16_t number = 3; number < 100; number++) racer_joined(number);
    racer = racer_new(500, 0);
    CHECK(racer->lane != LANE_NONE);
    CHECK_EQUAL(racer_at(racer->lane, racer->epoch), 500);
}

int main(void) {
    uintptr_t at;
    size_t size;
    CHECK(depot_init(&at, &size) == 0);
    begin();
    accesses_conflict_as_long_as_nothing_orders_them();
    bytes_that_one_step_comes_to_share_a_cell();
    ranges_are_looked_at_granule_by_granule();
    reads_and_atomic_accesses_do_not_conflict();
    a_release_orders_what_was_before_it();
    two_releases_without_a_step_between_hide_nothing();
    a_thread_comes_after_its_creator_and_before_who_joins_it();
    threads_without_a_lane_are_silent();
    return 0;
}
