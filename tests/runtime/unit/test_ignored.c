/* modules: rt/ignored os/os */
#include "../../../runtime/rt/ignored.h"
#include "../../../runtime/port/port.h"
#include "unit.h"

void rt_note(int *said, const char *sentence) {
    *said = 1;
    fprintf(stderr, "%s\n", sentence);
}

static void ranges_are_joined_and_cut(void) {
    CHECK_EQUAL(ignored_end(100), 100);
    CHECK(!ignored_any);
    ignored_add(100, 50);
    CHECK(ignored_any);
    CHECK_EQUAL(ignored_end(99), 99);
    CHECK_EQUAL(ignored_end(100), 150);
    CHECK_EQUAL(ignored_end(149), 150);
    CHECK_EQUAL(ignored_end(150), 150);
    ignored_remove(110, 10);
    CHECK_EQUAL(ignored_end(109), 110);
    CHECK_EQUAL(ignored_end(110), 110);
    CHECK_EQUAL(ignored_end(120), 150);
    ignored_add(105, 100); /* over both */
    CHECK_EQUAL(ignored_end(100), 105);
    CHECK_EQUAL(ignored_end(130), 205);
    ignored_add(105, 100); /* once more */
    ignored_remove(0, 500);
    CHECK(!ignored_any);
    CHECK_EQUAL(ignored_end(130), 130);
    ignored_remove(0, 500);
    ignored_add(100, 0);
    CHECK(!ignored_any);
}

static void the_end_of_the_addresses(void) {
    ignored_add(UINT64_MAX - 10, 100);
    CHECK_EQUAL(ignored_end(UINT64_MAX - 5), UINT64_MAX);
    ignored_remove(0, UINT64_MAX);
    CHECK(!ignored_any);
}

static void many_ranges(void) {
    for (uint64_t i = 1; i <= 2000; i++) ignored_add(16 * i, 8);
    for (uint64_t i = 1; i <= 2000; i++) CHECK_EQUAL(ignored_end(16 * i + 1), 16 * i + 8);
    ignored_remove(20, 16 * 1999);
    CHECK_EQUAL(ignored_end(16), 20);
    CHECK_EQUAL(ignored_end(16 * 2000), 16 * 2000);
    CHECK_EQUAL(ignored_end(16 * 2000 + 4), 16 * 2000 + 8);
}

int main(void) {
    ranges_are_joined_and_cut();
    the_end_of_the_addresses();
    many_ranges();
    return 0;
}
