#include "chunks.h"
#include "../blocks/provider.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/thread.h"
#include "../stacks/depot.h"

#define REMOVED 1u
#define FIRST_CAPACITY 256u

/* A hash table by address, with open addressing; at most half of its entries are in use. */
static struct chunk *table;
static uint64_t capacity, used;
static struct os_lock lock;

static const struct chunk none = {0};

/* Memory that no leak search takes for the program's, and that is never given back: what a table
 * has left, the next one takes. */
struct room {
    struct chunk *entries;
    uint64_t count;
};
static struct room spare;

static struct chunk *room_for(struct room *room, uint64_t count) {
    if (room->count < count) {
        struct chunk *entries = rt_private(count * sizeof *entries);
        if (!entries) return NULL;
        *room = (struct room){entries, count};
    }
    return room->entries;
}

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
    struct chunk *fresh = room_for(&spare, wanted);
    if (!fresh) return 0;
    for (uint64_t i = 0; i < wanted; i++) fresh[i] = none;
    spare = (struct room){old, old_capacity};
    table = fresh;
    capacity = wanted;
    used = kept;
    for (uint64_t i = 0; i < old_capacity; i++)
        if (old[i].begin > REMOVED) *entry_of(old[i].pool, old[i].begin) = old[i];
    return 1;
}

static void provide(void);

int chunks_add(struct chunk chunk) {
    if (chunk.id) provide();
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

/* ---- as blocks ---- */

/* Those of a search, in the order of their addresses. Only the thread that searches, which holds
 * the lock, reads them. */
static struct room parts_room;
static struct chunk *parts;
static uint64_t parts_count;
static const struct thread *searcher;

static int comes_first(const struct chunk *a, const struct chunk *b) {
    return a->begin < b->begin || (a->begin == b->begin && a->size > b->size);
}

static void sink(uint64_t at, uint64_t count) {
    for (uint64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && comes_first(&parts[child], &parts[child + 1])) child++;
        if (!comes_first(&parts[at], &parts[child])) return;
        struct chunk swapped = parts[at];
        parts[at] = parts[child];
        parts[child] = swapped;
    }
}

static void sort(void) {
    for (uint64_t i = parts_count / 2; i-- > 0;) sink(i, parts_count);
    for (uint64_t last = parts_count; last-- > 1;) {
        struct chunk swapped = parts[0];
        parts[0] = parts[last];
        parts[last] = swapped;
        sink(0, last);
    }
}

/* What the program has given back as a whole, block or mapping, it need not give back by parts. */
static int is_there(const struct chunk *chunk) {
    struct block around = blocks_in_heap(chunk->begin) ? block_around(chunk->begin) : block_none();
    if (block_exists(around)) return block_is_live(around) && block_id(around) < chunk->id;
    return os_readable_word(wh_round_down(chunk->begin, sizeof(uint64_t)));
}

static uintptr_t end_of(const struct chunk *chunk) {
    return chunk->begin + (chunk->size ? chunk->size : 1);
}

/* A chunk with another one in it is a pool's own memory. */
static void keep_innermost(void) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < parts_count; i++)
        if (i + 1 == parts_count || parts[i + 1].begin >= end_of(&parts[i]))
            parts[kept++] = parts[i];
    parts_count = kept;
}

static void gather(void) {
    static int lost;
    parts_count = 0;
    if (!used) return;
    parts = room_for(&parts_room, capacity);
    if (!parts) {
        rt_note(&lost, "no memory for what the program's own allocator hands out: the leak search "
                       "does not know it");
        return;
    }
    for (uint64_t i = 0; i < capacity; i++)
        if (table[i].begin > REMOVED && table[i].id && is_there(&table[i]))
            parts[parts_count++] = table[i];
    sort();
    keep_innermost();
}

static void search(int begins) {
    if (begins) {
        chunks_lock();
        gather();
        searcher = &thread_self;
    } else {
        searcher = NULL;
        parts_count = 0;
    }
    blocks_handed_out = (struct whence_bounds){0, 0};
    if (parts_count) {
        blocks_handed_out.begin = parts[0].begin;
        blocks_handed_out.size = end_of(&parts[parts_count - 1]) - parts[0].begin;
    }
    if (!begins) chunks_unlock();
}

/* The number of the first one that ends behind an address. */
static uint64_t from(uintptr_t address) {
    uint64_t low = 0, high = searcher == &thread_self ? parts_count : 0, count = high;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (end_of(&parts[middle]) > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low < count ? low + 1 : 0;
}

static uint64_t around(uintptr_t address) {
    uint64_t number = from(address);
    return number && parts[number - 1].begin <= address ? number : 0;
}

static int holds(uintptr_t address) { return around(address) != 0; }

static uint64_t count(void) { return searcher == &thread_self ? parts_count + 1 : 0; }

static void describe(uint64_t number, struct block_facts *facts) {
    if (!number || number >= count()) return;
    const struct chunk *chunk = &parts[number - 1];
    facts->row.begin = chunk->begin;
    facts->row.size = chunk->size;
    facts->row.state = WH_BLOCK_LIVE;
    facts->row.family = WH_FAMILY_MALLOC;
    facts->row.id = chunk->id;
    facts->row.thread = chunk->thread;
    facts->alloc_stack = chunk->stack;
}

static const struct block_provider provider = {
    .begin = REMOVED + 1,
    .end = ADDRESS_END,
    .kind = WH_KIND_HEAP,
    .rooms = ROOMS_HANDED_OUT,
    .holds = holds,
    .around = around,
    .nearest = from,
    .count = count,
    .search = search,
    .read = describe,
};

/* The caller holds the lock. */
static void provide(void) {
    static int provided;
    if (!provided) provided = blocks_provide(&provider);
}
