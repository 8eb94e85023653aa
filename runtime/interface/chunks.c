#include "chunks.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../stacks/depot.h"

#define REMOVED 1u
#define FIRST_CAPACITY 256u

/* A hash table by address, with open addressing; at most half of its entries are in use. */
static struct chunk *table;
static uint64_t capacity, used;
static struct os_lock lock;

void chunks_lock(void) { os_lock(&lock); }

void chunks_unlock(void) { os_unlock(&lock); }

static struct chunk *entry_of(uintptr_t pool, uintptr_t begin) {
    for (uint64_t i = depot_hash_step(DEPOT_HASH_INIT, begin) >> 32;; i++) {
        struct chunk *entry = &table[i % capacity];
        if (!entry->begin || (entry->begin == begin && entry->pool == pool)) return entry;
    }
}

/* Rebuilds the table without the removed entries, larger if need be. */
static int rebuild(void) {
    struct chunk *old = table;
    uint64_t old_capacity = capacity, kept = 0;
    for (uint64_t i = 0; i < old_capacity; i++) kept += old[i].begin > REMOVED;
    uint64_t wanted = FIRST_CAPACITY;
    while (wanted < 4 * (kept + 1)) wanted *= 2;
    struct chunk *fresh = (struct chunk *)os_map(wh_round_up(wanted * sizeof *fresh, OS_PAGE));
    if (!fresh) return 0;
    table = fresh;
    capacity = wanted;
    used = kept;
    for (uint64_t i = 0; i < old_capacity; i++)
        if (old[i].begin > REMOVED) *entry_of(old[i].pool, old[i].begin) = old[i];
    if (old) os_unmap((uintptr_t)old, wh_round_up(old_capacity * sizeof *old, OS_PAGE));
    return 1;
}

int chunks_add(struct chunk chunk) {
    if (chunk.begin <= REMOVED) return 1;
    if (2 * (used + 1) > capacity && !rebuild()) return 0;
    struct chunk *entry = entry_of(chunk.pool, chunk.begin);
    if (!entry->begin) used++;
    *entry = chunk;
    return 1;
}

static struct chunk *existing(uintptr_t pool, uintptr_t begin) {
    struct chunk *entry = capacity && begin > REMOVED ? entry_of(pool, begin) : NULL;
    return entry && entry->begin ? entry : NULL;
}

static const struct chunk none = {0, 0, 0};

struct chunk chunks_find(uintptr_t pool, uintptr_t begin) {
    const struct chunk *entry = existing(pool, begin);
    return entry ? *entry : none;
}

struct chunk chunks_remove(uintptr_t pool, uintptr_t begin) {
    struct chunk *entry = existing(pool, begin);
    if (!entry) return none;
    struct chunk found = *entry;
    entry->begin = REMOVED;
    return found;
}

void chunks_each(uintptr_t pool, int (*visit)(struct chunk *chunk, void *data), void *data) {
    for (uint64_t i = 0; i < capacity; i++) {
        struct chunk *entry = &table[i];
        if (entry->begin > REMOVED && entry->pool == pool && visit(entry, data))
            entry->begin = REMOVED;
    }
}
