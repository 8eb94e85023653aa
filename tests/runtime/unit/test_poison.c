/* modules: interface/poison alloc/heap alloc/loader alloc/pages alloc/slots blocks/block blocks/blocks blocks/claims planes/planes os/os */
#include "../../../runtime/interface/poison.h"
#include "../../../runtime/rt/access.h"
#include "memory.h"

#define ARENA 0x555000000000ull
#define SIZE 200u

/* What poison.c needs of the rest of the runtime. */
uintptr_t port_first_bad(uintptr_t address, uint64_t size) {
    return plane_first_bad(address, size);
}

static struct heap_cache cache;

static uintptr_t new(uint64_t size) {
    struct heap_request request = {size, 16, 0, 0, WH_FAMILY_MALLOC, 1, 0, 0};
    return heap_new(&cache, &request);
}

static int is_open(uintptr_t at) { return plane_first_bad(at, 1) != at; }

static void look(uintptr_t base, uint8_t *open) {
    for (unsigned i = 0; i < SIZE; i++) open[i] = (uint8_t)is_open(base + i);
}

static int same_granule(unsigned a, unsigned b) { return a / WH_GRANULE == b / WH_GRANULE; }

/* Closing never opens, and reaches its bytes unless later ones of their granule stay open. */
static void check_closed(const uint8_t *before, const uint8_t *after, unsigned from, unsigned to) {
    for (unsigned i = 0; i < SIZE; i++) {
        if (i < from || i >= to) {
            CHECK_EQUAL(after[i], before[i]);
            continue;
        }
        CHECK(after[i] <= before[i]);
        int held = 0;
        for (unsigned j = to; j < SIZE && same_granule(i, j); j++) held |= before[j];
        CHECK_EQUAL(after[i], held && before[i]);
    }
}

/* Opening never closes, reaches its bytes, and else only those before them in their granule. */
static void check_opened(const uint8_t *before, const uint8_t *after, unsigned from, unsigned to,
                         unsigned limit) {
    for (unsigned i = 0; i < SIZE; i++) {
        CHECK(after[i] >= before[i]);
        if (i >= from && i < to)
            CHECK_EQUAL(after[i], i < limit);
        else if (!(i < from && from < to && from < limit && same_granule(i, from)))
            CHECK_EQUAL(after[i], before[i]);
    }
}

static void ranges_at(uintptr_t base, unsigned limit) {
    uint8_t before[SIZE], after[SIZE];
    for (int round = 0; round < 20000; round++) {
        unsigned from = (unsigned)unit_below(limit), to = from + (unsigned)unit_below(SIZE - from);
        look(base, before);
        if (unit_below(2)) {
            poison_close(base + from, to - from);
            look(base, after);
            check_closed(before, after, from, to < limit ? to : limit);
        } else {
            poison_open(base + from, to - from);
            look(base, after);
            check_opened(before, after, from, to, limit);
        }
        unsigned closed = 0, begin = (unsigned)unit_below(limit);
        for (unsigned i = begin; i < limit; i++) closed += !after[i];
        CHECK_EQUAL(poison_closed(base + begin, SIZE - begin), closed);
        unsigned first = begin;
        while (first < limit && after[first]) first++;
        uintptr_t bad = first < limit ? base + first : 0;
        CHECK_EQUAL(poison_first_bad(base + begin, limit - begin), bad);
    }
    poison_open(base, SIZE);
    CHECK_EQUAL(poison_closed(base, limit), 0);
}

static void only_live_blocks_are_touched(void) {
    uintptr_t block = new(100), after = block + 100;
    poison_close(block - 1, 50); /* a red zone is nobody's */
    CHECK_EQUAL(poison_closed(block, 100), 0);
    poison_open(after, 20); /* and stays closed */
    CHECK(!is_open(after));
    poison_open(block + 90, 1000);
    CHECK(!is_open(after) && is_open(after - 1));
    poison_close(block, UINT64_MAX);
    CHECK_EQUAL(poison_closed(block, 100), 100);
    poison_open(block, UINT64_MAX);
    CHECK_EQUAL(poison_closed(block, UINT64_MAX), 0);
}

static void what_no_plane_covers_is_left_alone(void) {
    poison_close(0, 100);
    poison_close(16, UINT64_MAX);
    poison_close(UINT64_MAX - 10, 20);
    poison_close(ARENA, 0);
    CHECK(is_open(ARENA));
    CHECK_EQUAL(poison_first_bad(ARENA, 0), 0);
}

int main(void) {
    begin_memory();
    ranges_at(ARENA, SIZE);
    for (uint64_t block_size = 1; block_size <= 100; block_size += 33)
        ranges_at(new(block_size), (unsigned)block_size);
    only_live_blocks_are_touched();
    what_no_plane_covers_is_left_alone();
    return 0;
}
