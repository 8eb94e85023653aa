/* modules: events/events */
#include "../../../runtime/events/events.h"
#include "unit.h"

/* What was called, in order: a letter for each observer. */
static char called[16];

static void note(char letter) {
    size_t length = strlen(called);
    CHECK(length + 1 < sizeof called);
    called[length] = letter;
}

static uint64_t seen_begin, seen_size;

static void map_first(uintptr_t begin, uint64_t size) {
    note('a');
    seen_begin = begin;
    seen_size = size;
}
static void fork_first(void) { note('A'); }
static void map_second(uintptr_t begin, uint64_t size) {
    CHECK_EQUAL(begin, seen_begin);
    CHECK_EQUAL(size, seen_size);
    note('b');
}
static void free_third(uintptr_t begin) {
    CHECK_EQUAL(begin, 16);
    note('c');
}

static const struct observer first = {.always = 1, .mapped = map_first, .forked = fork_first};
static const struct observer second = {.mapped = map_second};
static const struct observer third = {.points = 1ull << 3, .freed = free_third};
static const struct observer stranger = {.freed = free_third};

const struct observer *const port_observers[] = {&first, &second, &third, NULL};

static void expect(const char *letters) {
    CHECK(strcmp(called, letters) == 0);
    memset(called, 0, sizeof called);
}

static void announce_all(void) {
    announce_mapped(4096, 8192);
    announce_freed(16);
    announce_forked();
}

int main(void) {
    announce_all();
    expect(""); /* nobody listens before the start */
    observers_begin();
    announce_all();
    expect("aA");
    observers_listen(&second);
    announce_all();
    expect("abA"); /* in the order of the table */
    observers_watch(1ull << 2);
    observers_listen(&stranger); /* of another product */
    announce_all();
    expect("abA");
    observers_watch(1ull << 2 | 1ull << 3);
    observers_watch(1ull << 3);
    observers_listen(&second);
    announce_all();
    expect("abcA"); /* once each, however often they are asked for */
    return 0;
}
