/* modules: */
/* Entries of an index: each is found, those of neighbours are neighbours, and other hashes differ. */
#include "../../../runtime/origins/index.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define COUNT 256u
#define BITS 19u

static uint64_t number(void) { return (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand(); }

static void a_search_looks_at_all_entries(void) {
    for (int i = 0; i < 1000; i++) {
        uint8_t seen[COUNT] = {0};
        uint64_t hash = number();
        for (uint64_t passed = 0; passed < COUNT; passed++) seen[index_at(hash, passed, COUNT)]++;
        for (unsigned at = 0; at < COUNT; at++) CHECK(seen[at] == 1);
    }
}

static void neighbours_stand_together(void) {
    for (int i = 0; i < 1000; i++) {
        uint64_t hash = number(), place = number() / INDEX_NEIGHBOURS * INDEX_NEIGHBOURS;
        uint32_t seen = 0;
        for (uint64_t k = 0; k < INDEX_NEIGHBOURS; k++) {
            uint64_t at = index_at(index_hash(hash, place + k), 0, COUNT);
            CHECK(at / INDEX_NEIGHBOURS == hash % COUNT / INDEX_NEIGHBOURS);
            seen |= 1u << at % INDEX_NEIGHBOURS;
        }
        CHECK(seen == 0xFFFF);
    }
}

static void an_entry_has_its_number(void) {
    for (int i = 0; i < 1000; i++) {
        uint64_t hash = number();
        uint32_t row = 1 + (uint32_t)rand() % ((1u << BITS) - 1);
        uint32_t entry = index_entry(hash, row, BITS);
        CHECK(entry != 0);
        CHECK(index_number(entry, hash, BITS) == row);
        CHECK(index_number(entry, hash ^ 1ull << (32 + BITS + (unsigned)rand() % (32 - BITS)), BITS) == 0);
        CHECK(index_number(entry, hash ^ 1ull << ((unsigned)rand() % (32 + BITS)), BITS) == row);
    }
}

int main(void) {
    a_search_looks_at_all_entries();
    neighbours_stand_together();
    an_entry_has_its_number();
    return 0;
}
