#include "reported.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../stacks/depot.h"
#include "whence_abi.h"

/* Open addressing, hash of rule and block; 0: empty. At most half full. */
static uint64_t *table;
static uint64_t capacity, used;

#define FIRST_CAPACITY (OS_PAGE / sizeof(uint64_t))

static uint64_t *slot_of(uint64_t key) {
    for (uint64_t i = key >> 32;; i++) {
        uint64_t *slot = &table[i % capacity];
        if (!*slot || *slot == key) return slot;
    }
}

/* 0 if there is no memory: then a block may be reported twice. */
static int grow(void) {
    uint64_t *old = table, old_capacity = capacity;
    uint64_t wanted = capacity ? 2 * capacity : FIRST_CAPACITY;
    uint64_t *fresh = (uint64_t *)os_map(wanted * sizeof *fresh);
    if (!fresh) return 0;
    table = fresh;
    capacity = wanted;
    for (uint64_t i = 0; i < old_capacity; i++)
        if (old[i]) *slot_of(old[i]) = old[i];
    if (old) os_unmap((uintptr_t)old, old_capacity * sizeof *old);
    return 1;
}

int reported_first_time(uint64_t rule, uint64_t block_id, uint32_t check) {
    uint64_t key = depot_hash_step(depot_hash_step(DEPOT_HASH_INIT, rule), block_id);
    if (!key) key = 1;
    if (check == WH_CHECK_END && !used) return 1;
    if (used * 2 >= capacity && !grow()) return 1;
    uint64_t *slot = slot_of(key);
    if (*slot) return 0;
    if (check == WH_CHECK_END) return 1;
    *slot = key;
    used++;
    return 1;
}
