/* modules: findings/described os/os */
#include "../../../runtime/findings/described.h"
#include "unit.h"

static void ranges_have_numbers(void) {
    CHECK_EQUAL(described_at(100).size, 0);
    CHECK(!described_remove(0));
    CHECK_EQUAL(described_add(100, 50, "outer", 7), 0);
    CHECK_EQUAL(described_add(110, 10, "inner", 8), 1);
    CHECK_EQUAL(described_add(110, 10, "the same", 9), 2);
    CHECK_EQUAL(described_at(99).size, 0);
    CHECK_EQUAL(described_at(100).stack, 7);
    CHECK_EQUAL(described_at(149).begin, 100);
    CHECK_EQUAL(described_at(150).size, 0);
    struct described inner = described_at(115);
    CHECK(inner.length == 5 && !memcmp(inner.text, "inner", 5));
    CHECK(described_remove(1));
    CHECK(!described_remove(1));
    CHECK_EQUAL(described_at(115).stack, 9);
    CHECK_EQUAL(described_add(200, 1, "", 1), 1); /* the number is free again */
    CHECK_EQUAL(described_at(200).length, 0);
    CHECK(described_remove(0) && described_remove(1) && described_remove(2));
    CHECK_EQUAL(described_at(115).size, 0);
}

static void long_texts_are_cut(void) {
    char text[300];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    CHECK_EQUAL(described_add(1, 1, text, 0), 0);
    CHECK_EQUAL(described_at(1).length, DESCRIPTION_MOST);
    CHECK(described_remove(0));
}

static void many_ranges(void) {
    for (uint64_t i = 0; i < 1000; i++) CHECK_EQUAL(described_add(16 * i, 8, "", (uint32_t)i), i);
    for (uint64_t i = 0; i < 1000; i++) CHECK_EQUAL(described_at(16 * i + 7).stack, i);
    for (uint64_t i = 0; i < 1000; i++) CHECK(described_remove(i));
    CHECK_EQUAL(described_at(7).size, 0);
}

int main(void) {
    ranges_have_numbers();
    long_texts_are_cut();
    many_ranges();
    return 0;
}
