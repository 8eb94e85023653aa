#include "sites.h"
#include "../os/mem.h"

#define MOST 32768u
#define FIRST 96u
#define INDEX_FIRST 256u

/* In the order of their numbers, from 1 on; the first ones stand apart, for short paths. */
static WH_WRITTEN uint64_t first_sites[FIRST];
static uint64_t sites[MOST + 1];
static WH_WRITTEN uint32_t used;
/* Numbers by a hash, 0: none. As many entries as `capacity`, a power of two, are in use. */
static WH_WRITTEN uint32_t first_index[INDEX_FIRST];
static uint32_t large_index[2 * MOST];
static WH_WRITTEN uint32_t capacity = INDEX_FIRST;

static uint64_t *site(uint32_t number) {
    return number < FIRST ? &first_sites[number] : &sites[number];
}

static uint32_t *entry_of(uint64_t pc) {
    for (uint64_t i = (pc * 0x9E3779B97F4A7C15ull) >> 40;; i++) {
        uint32_t *entry = &(capacity == INDEX_FIRST ? first_index : large_index)[i % capacity];
        if (!*entry || *site(*entry) == pc) return entry;
    }
}

static void grow(void) {
    if (capacity > INDEX_FIRST) wh_fill(large_index, 0, capacity * sizeof *large_index);
    capacity *= 2;
    for (uint32_t number = 1; number <= used; number++) *entry_of(*site(number)) = number;
}

uint32_t sites_number(uint64_t pc, int *is_new) {
    *is_new = 0;
    uint32_t *entry = entry_of(pc);
    if (*entry) return *entry;
    if (used + 1 >= MOST) return 0;
    if (2 * (used + 1) > capacity) {
        grow();
        entry = entry_of(pc);
    }
    *site(++used) = pc;
    *is_new = 1;
    return *entry = used;
}
