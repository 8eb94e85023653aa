/* modules: origins/written os/os */
/* What library functions announce that they write: nested calls, calls that never end, and more of
 * both than there is room for. */
#include "../../../runtime/origins/cells.h"
#include "../../../runtime/origins/given.h"
#include "../../../runtime/origins/written.h"
#include "unit.h"

/* ---- what written.c needs of the rest of the runtime ---- */

__thread struct origins_passed __whence_origins;
int origins_on = 1;

static char last[64]; /* what was told of each byte, by the first letter of the call's name */
static char memory[64];
static int is_followed[64];

void cells_written(struct whence_origin_site *site, uintptr_t to, uint64_t size) {
    CHECK(to - (uintptr_t)memory + size <= sizeof memory);
    memset(last + (to - (uintptr_t)memory), *site->text, size);
}

uint32_t cells_now(uintptr_t address, unsigned count) {
    CHECK_EQUAL(count, 1);
    return is_followed[address - (uintptr_t)memory] ? 7 : 0;
}

int given_is_call(const struct whence_origin_site *site, const char *function) {
    return !strcmp(site->text, function);
}

/* ---- calls ---- */

static struct whence_origin_site sites[] = {{.text = "stat"}, {.text = "qsort"}, {.text = "read"}};
enum { STAT, QSORT, READ };

static void begin(int call) { __whence_origins.passed.writing = (uintptr_t)&sites[call]; }

static void end(int call) {
    uint64_t writing = __whence_origins.passed.writing;
    __whence_origins.passed.writing = 0;
    if (__whence_origins.passed.written) __whence_origin_written(&sites[call], writing);
}

static void announce(int call, unsigned depth, unsigned at, unsigned size) {
    written_soon(sites[call].text, (void *)(uintptr_t)(0x10000 - 16 * depth),
                 (uintptr_t)memory + at, size);
}

static void start(void) {
    memset(memory, 'm', sizeof memory);
    memset(last, '.', sizeof last);
    memset(is_followed, 0, sizeof is_followed);
    __whence_origins.passed.writing = 0;
    CHECK_EQUAL(__whence_origins.passed.written, 0);
}

static void expect(const char *told) { CHECK(!memcmp(last, told, strlen(told))); }

/* ---- */

static void what_changes_is_told(void) {
    start();
    begin(STAT);
    announce(STAT, 1, 0, 8);
    announce(STAT, 1, 12, 4);
    memory[2] = memory[3] = memory[13] = 'x';
    is_followed[3] = 1; /* as by another thread */
    end(STAT);
    expect("..s..........s..");
    CHECK_EQUAL(__whence_origins.passed.written, 0);
}

static void a_failing_call_tells_nothing(void) {
    start();
    begin(STAT);
    announce(STAT, 1, 0, 8);
    end(STAT);
    expect("........");
}

static void other_functions_tell_nothing(void) {
    start();
    announce(STAT, 1, 0, 8);
    begin(QSORT);
    announce(STAT, 1, 0, 8);
    written_already("stat", (uintptr_t)memory, 8);
    memory[0] = 'x';
    end(QSORT);
    expect("........");
}

static void what_is_known_afterwards_is_told_as_it_is(void) {
    start();
    begin(READ);
    written_already("read", (uintptr_t)memory + 1, 2);
    end(READ);
    expect(".rr.");
}

static void a_call_within_a_call(void) {
    start();
    begin(QSORT);
    announce(QSORT, 1, 0, 8);
    memory[0] = 'x';
    begin(STAT);
    announce(STAT, 5, 4, 8);
    memory[9] = 'x';
    end(STAT);
    expect(".........s..");
    memory[7] = 'x';
    end(QSORT);
    expect("q......q.s..");
}

/* Each round leaves the one before by a jump. */
static void calls_that_never_end(void) {
    start();
    for (unsigned i = 0; i < 1000; i++) {
        begin(QSORT);
        announce(QSORT, 3 + i % 2, 0, 8);
        CHECK(__whence_origins.passed.written <= 2);
    }
    begin(STAT);
    announce(STAT, 1, 16, 4);
    CHECK_EQUAL(__whence_origins.passed.written, 1);
    memory[0] = memory[16] = 'x';
    end(STAT);
    expect("................s...");
}

/* Of a call that was left, nothing is told for a deeper one at the same site. */
static void a_deeper_call_at_the_site_of_one_that_never_ends(void) {
    start();
    begin(QSORT);
    announce(QSORT, 1, 0, 8);
    begin(QSORT);
    announce(QSORT, 9, 8, 8);
    memory[0] = memory[8] = 'x';
    end(QSORT);
    expect("........q...");
    begin(QSORT);
    announce(QSORT, 0, 8, 8);
    end(QSORT);
}

/* Its memory may be gone. */
static void a_quiet_call_at_the_site_of_one_that_never_ends(void) {
    start();
    begin(QSORT);
    announce(QSORT, 1, 0, 8);
    memory[0] = 'x';
    begin(QSORT);
    end(QSORT);
    expect("........");
    begin(STAT);
    announce(STAT, 0, 8, 8);
    end(STAT);
}

static void more_than_there_is_room_for(void) {
    start();
    for (unsigned i = 0; i < 200; i++) {
        begin(QSORT);
        announce(QSORT, i, 0, sizeof memory);
        CHECK(__whence_origins.passed.written <= 64);
    }
    memory[1] = 'x';
    end(QSORT);
    expect(".q..");
    begin(STAT);
    announce(STAT, 0, 0, 1);
    end(STAT);
}

static char large[4096];
static void large_ranges(void) {
    start();
    for (unsigned i = 0; i < 20; i++) {
        begin(READ);
        written_soon("read", (void *)(uintptr_t)(0x10000 - i), (uintptr_t)large, sizeof large);
    }
    CHECK(__whence_origins.passed.written >= 1);
    end(READ);
    begin(STAT);
    announce(STAT, 0, 0, 1);
    end(STAT);
}

static void functions_without_a_wrapper(void) {
    start();
    __whence_origin_filling(&sites[READ], 0, 4);
    __whence_origin_filling(&sites[READ], (uintptr_t)memory, 4);
    memory[1] = 'x';
    end(READ);
    expect(".r..");
}

int main(void) {
    what_changes_is_told();
    a_failing_call_tells_nothing();
    other_functions_tell_nothing();
    what_is_known_afterwards_is_told_as_it_is();
    a_call_within_a_call();
    calls_that_never_end();
    a_deeper_call_at_the_site_of_one_that_never_ends();
    a_quiet_call_at_the_site_of_one_that_never_ends();
    more_than_there_is_room_for();
    large_ranges();
    functions_without_a_wrapper();
    return 0;
}
