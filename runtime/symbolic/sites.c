#include "sites.h"

#define MOST 32768u
#define INDEX_FIRST 256u

/* In the order of their numbers, from 1 on. */
static uint64_t sites[MOST + 1];
static uint32_t used;
/* Numbers by a hash, 0: none. As many entries as `capacity`, a power of two, are in use. */
static uint32_t index_of[2 * MOST];
static uint32_t capacity = INDEX_FIRST;

static uint32_t *entry_of(uint64_t pc) {
    for (uint64_t i = (pc * 0x9E3779B97F4A7C15ull) >> 40;; i++) {
        uint32_t *entry = &index_of[i % capacity];
        if (!*entry || sites[*entry] == pc) return entry;
    }
}

static void grow(void) {
    for (uint32_t i = 0; i < capacity; i++) index_of[i] = 0;
    capacity *= 2;
    for (uint32_t number = 1; number <= used; number++) *entry_of(sites[number]) = number;
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
    sites[++used] = pc;
    *is_new = 1;
    return *entry = used;
}
