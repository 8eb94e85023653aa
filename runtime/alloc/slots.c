#include "slots.h"
#include "loader.h"
#include "pages.h"
#include "../os/invariant.h"
#include "../os/mem.h"
#include "../planes/planes.h"

struct class {
    struct os_lock lock;
    uint32_t free; /* the first of a list by links, the last freed slot first */
    uint32_t quarantined_first, quarantined_last, quarantined_count; /* a queue by links */
    uint64_t quarantined_bytes;
    uintptr_t open_end; /* the first address of the region that was never accessible */
} __attribute__((aligned(64)));

static struct class classes[BLOCK_SHIFTS];

static void lock_class(struct class *class) {
    port_before_share();
    os_lock(&class->lock);
}

static void unlock_class(struct class *class) {
    os_unlock(&class->lock);
    port_after_share();
}

static uint64_t quarantined_total; /* bytes, of all classes */
static uint64_t
    quarantine_most; /* bytes, of all classes; exceeded where each class has the least */
static uint32_t quarantine_least; /* slots of a class that stay in quarantine in any case */

/* ---- the bytes that a quarantined slot counts for ---- */

/* A guarded slot occupies its record and page tables, even without contents. */
#define HEAP_QUARANTINED_LEAST (PORT_GUARDS ? 512u : 0u)

/* Big blocks lose their contents at once, and occupy only their state bytes. */
static uint64_t quarantine_cost(unsigned shift, uint64_t index) {
    if (shift < HEAP_BIG_SHIFT) return 1ull << shift;
    uint64_t size = record_size(block_record(shift, index), shift, index);
    uint64_t cost = size >= HEAP_SEAL ? OS_PAGE : size >> WH_GRANULE_SHIFT;
    return cost + HEAP_QUARANTINED_LEAST;
}

static int over_bound(void) {
    return __atomic_load_n(&quarantined_total, __ATOMIC_RELAXED) > quarantine_most;
}

/* ---- the quarantine; the class is locked ---- */

static void quarantine(struct class *class, unsigned shift, uint64_t index) {
    uint32_t *links = block_links(shift);
    WH_INVARIANT(slot_is_free(shift, index));
    links[index] = 0;
    if (class->quarantined_count++)
        links[class->quarantined_last] = (uint32_t)index;
    else
        class->quarantined_first = (uint32_t)index;
    class->quarantined_last = (uint32_t)index;
    class->quarantined_bytes += quarantine_cost(shift, index);
}

static uint64_t evict(struct class *class, unsigned shift) {
    uint64_t index = class->quarantined_first;
    WH_INVARIANT(class->quarantined_count && slot_is_free(shift, index));
    WH_INVARIANT(class->quarantined_bytes >= quarantine_cost(shift, index));
    WH_INVARIANT(class->quarantined_count > 1 || index == class->quarantined_last);
    class->quarantined_first = block_links(shift)[index];
    class->quarantined_count--;
    class->quarantined_bytes -= quarantine_cost(shift, index);
    if (heap_seals(shift) && !slot_claimed(shift, index)) port_evicted(shift, index);
    return index;
}

/* Updates the shared total once for many slots. */
static void account(const struct class *class, uint64_t before) {
    WH_INVARIANT(class->quarantined_count || !class->quarantined_bytes);
    if (class->quarantined_bytes != before)
        os_add(&quarantined_total, class->quarantined_bytes - before);
}

static void evict_to_bound(struct class *class, unsigned shift) {
    uint64_t total = __atomic_load_n(&quarantined_total, __ATOMIC_RELAXED),
             before = class->quarantined_bytes;
    while (class->quarantined_count > quarantine_least &&
           total - (before - class->quarantined_bytes) > quarantine_most) {
        uint64_t index = evict(class, shift);
        block_links(shift)[index] = class->free;
        class->free = (uint32_t)index;
    }
    account(class, before);
}

/* When the freeing class may not evict any slot, the class with most bytes in quarantine does. */
static void evict_elsewhere(void) {
    port_before_share();
    while (over_bound()) {
        unsigned most = 0;
        for (unsigned shift = WH_MIN_SLOT_SHIFT; shift < BLOCK_SHIFTS; shift++)
            if (classes[shift].quarantined_count > quarantine_least &&
                (!most || classes[shift].quarantined_bytes > classes[most].quarantined_bytes))
                most = shift;
        if (!most) break;
        os_lock(&classes[most].lock);
        evict_to_bound(&classes[most], most);
        os_unlock(&classes[most].lock);
    }
    port_after_share();
}

/* ---- cutting new slots; the class is locked ---- */

#define OPEN_LEAST (64ull << 10)
#define OPEN_MOST (4ull << 20)

/* Makes more of a region accessible, an eighth of what it has, all poisoned as unused. */
static int open_more(struct class *class, unsigned shift, uintptr_t needed_end) {
    uint64_t opened = class->open_end - slot_begin(shift, region_before(shift));
    uint64_t more = wh_round_up(opened / 8, OPEN_LEAST);
    if (more < OPEN_LEAST) more = OPEN_LEAST;
    if (more > OPEN_MOST) more = OPEN_MOST;
    uintptr_t end = wh_round_up(class->open_end + more, 1ull << shift);
    if (end < needed_end) end = wh_round_up(needed_end, OS_PAGE);
    if (end > region_begin(shift + 1)) end = region_begin(shift + 1);
    if (claims_any()) end = claims_next(class->open_end, end);
    if (os_open_pages(class->open_end, end - class->open_end) < 0) return 0;
    plane_set(class->open_end, end - class->open_end, WH_STATE_HEAP_UNUSED);
    class->open_end = end;
    return 1;
}

/* Later there may be no more mappings to be had; this one can grow even then. */
static void open_first(void) {
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift < HEAP_BIG_SHIFT; shift++)
        open_more(&classes[shift], shift, classes[shift].open_end);
}

void slots_open_ahead(void) {
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift < HEAP_BIG_SHIFT; shift++) {
        os_lock(&classes[shift].lock);
        open_more(&classes[shift], shift, classes[shift].open_end);
        os_unlock(&classes[shift].lock);
    }
}

/* The first slot from the index on without claims, and without slots that can be opened before. */
static uint64_t past_claims(struct class *class, unsigned shift, uint64_t index) {
    while (index < region_slots(shift) && slot_claimed(shift, index)) {
        uintptr_t begin = slot_begin(shift, index), end = region_begin(shift + 1);
        uintptr_t free = claims_skip(claims_next(wh_round_down(begin, OS_PAGE), end), end);
        index = (wh_round_up(free, 1ull << shift) - region_begin(shift)) >> shift;
        if (class->open_end < slot_begin(shift, index)) class->open_end = slot_begin(shift, index);
    }
    return index;
}

static uint64_t cut(struct class *class, unsigned shift) {
    uint64_t index = blocks_cut[shift];
    if (claims_any()) index = past_claims(class, shift, index);
    if (index >= region_slots(shift)) return 0;
    if (!heap_seals(shift)) {
        uintptr_t end = slot_begin(shift, index + 1);
        if (end > class->open_end && !open_more(class, shift, end)) return 0;
    }
    WH_INVARIANT(index >= blocks_cut[shift] && !block_used(block_record(shift, index)));
    blocks_cut[shift] = index + 1;
    return index;
}

static uint64_t take_any(struct class *class, unsigned shift) {
    uint64_t index = class->free;
    if (index) {
        WH_INVARIANT(slot_is_free(shift, index));
        class->free = block_links(shift)[index];
        return index;
    }
    index = cut(class, shift);
    /* The region is full: a short quarantine is better than no memory. */
    if (index || !class->quarantined_count) return index;
    uint64_t before = class->quarantined_bytes;
    index = evict(class, shift);
    account(class, before);
    return index;
}

static uint64_t take_locked(struct class *class, unsigned shift) {
    uint64_t index = take_any(class, shift);
    while (index && slot_claimed(shift, index)) index = take_any(class, shift);
    return index;
}

void slots_claim(uintptr_t begin, uintptr_t end) {
    while (begin < end) {
        unsigned shift = slot_shift(begin);
        uintptr_t next = region_begin(shift + 1), to = end < next ? end : next;
        int used = shift < BLOCK_SHIFTS;
        if (used) os_lock(&classes[shift].lock);
        claims_set(begin, to, CLAIM_RETIRED);
        if (used) os_unlock(&classes[shift].lock);
        begin = to;
    }
}

/* ---- thread caches ---- */

const struct slots_share slots_share[HEAP_CACHED_SHIFTS] = {
    [5] = {0, 64},   [6] = {64, 64},   [7] = {128, 64}, [8] = {192, 64},
    [9] = {256, 32}, [10] = {288, 16}, [11] = {304, 8}, [12] = {312, 8},
    [13] = {320, 4}, [14] = {324, 4},  [15] = {328, 4},
};

/* Whether slots of this shift go through the cache. */
static int caches(struct heap_cache *cache, unsigned shift) {
    if (WH_UNLIKELY(cache->state == HEAP_CACHE_NEW)) {
        int own =
            quarantine_most == 0 && quarantine_least > 0 && quarantine_least <= HEAP_OWN_DEPTH;
        cache->depth = quarantine_least;
        cache->state = own ? HEAP_CACHE_OWN : HEAP_CACHE_SHARED;
    }
    return shift < HEAP_CACHED_SHIFTS && cache->state != HEAP_CACHE_CLOSED;
}

static uint64_t take_one(unsigned shift) {
    struct class *class = &classes[shift];
    lock_class(class);
    uint64_t index = take_locked(class, shift);
    unlock_class(class);
    return index;
}

/* Takes half a cache full and returns one more; the first taken is used first. */
static uint64_t refill(struct heap_cache *cache, unsigned shift) {
    struct class *class = &classes[shift];
    uint32_t *slots = cache->ready_slots + slots_share[shift].at;
    unsigned wanted = slots_share[shift].capacity / 2, count = 0;
    lock_class(class);
    uint64_t first = take_locked(class, shift);
    while (first && count < wanted) {
        uint64_t index = take_locked(class, shift);
        if (!index) break;
        slots[count++] = (uint32_t)index;
    }
    unlock_class(class);
    for (unsigned i = 0; i < count / 2; i++) {
        uint32_t other = slots[i];
        slots[i] = slots[count - 1 - i];
        slots[count - 1 - i] = other;
    }
    WH_INVARIANT(!cache->ready[shift] && count <= slots_share[shift].capacity);
    cache->ready[shift] = (uint8_t)count;
    return first;
}

uint64_t slots_take_slowly(struct heap_cache *cache, unsigned shift) {
    return caches(cache, shift) ? refill(cache, shift) : take_one(shift);
}

static void free_many(unsigned shift, const uint32_t *slots, unsigned count) {
    struct class *class = &classes[shift];
    uint32_t *links = block_links(shift);
    lock_class(class);
    for (unsigned i = 0; i < count; i++) {
        WH_INVARIANT(slot_is_free(shift, slots[i]));
        links[slots[i]] = class->free;
        class->free = slots[i];
    }
    unlock_class(class);
}

/* Those that were ready first are the ones that would be used last. */
void slots_spill(struct heap_cache *cache, unsigned shift) {
    uint32_t *slots = cache->ready_slots + slots_share[shift].at;
    unsigned count = slots_share[shift].capacity / 2;
    free_many(shift, slots, count);
    cache->ready[shift] = (uint8_t)(cache->ready[shift] - count);
    for (unsigned i = 0; i < cache->ready[shift]; i++) slots[i] = slots[count + i];
}

static void give_many(unsigned shift, const uint32_t *slots, unsigned count) {
    struct class *class = &classes[shift];
    lock_class(class);
    uint64_t before = class->quarantined_bytes;
    for (unsigned i = 0; i < count; i++) quarantine(class, shift, slots[i]);
    account(class, before);
    evict_to_bound(class, shift);
    int over = over_bound();
    unlock_class(class);
    if (over) evict_elsewhere();
}

void slots_give_slowly(struct heap_cache *cache, unsigned shift, uint64_t index) {
    uint32_t slot = (uint32_t)index;
    if (WH_UNLIKELY(!caches(cache, shift))) {
        give_many(shift, &slot, 1);
        return;
    }
    if (cache->state == HEAP_CACHE_OWN) {
        slots_give_own(cache, shift, index);
        return;
    }
    uint32_t *slots = cache->freed_slots + slots_share[shift].at;
    WH_INVARIANT(cache->freed[shift] < slots_share[shift].capacity);
    slots[cache->freed[shift]++] = slot;
    if (WH_UNLIKELY(cache->freed[shift] == slots_share[shift].capacity)) {
        cache->freed[shift] = 0;
        give_many(shift, slots, slots_share[shift].capacity);
    }
}

static void close_shift(struct heap_cache *cache, unsigned shift) {
    const uint32_t *ready = cache->ready_slots + slots_share[shift].at;
    if (cache->ready[shift]) free_many(shift, ready, cache->ready[shift]);
    if (cache->state == HEAP_CACHE_SHARED && cache->freed[shift])
        give_many(shift, cache->freed_slots + slots_share[shift].at, cache->freed[shift]);
    for (unsigned i = 0; i < HEAP_OWN_DEPTH; i++) {
        uint32_t *slot = &cache->own[shift][(cache->freed[shift] + i) % HEAP_OWN_DEPTH];
        if (cache->state == HEAP_CACHE_OWN && *slot) give_many(shift, slot, 1);
        *slot = 0;
    }
    cache->ready[shift] = cache->freed[shift] = 0;
}

void heap_close(struct heap_cache *cache) {
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift < HEAP_CACHED_SHIFTS; shift++)
        close_shift(cache, shift);
    cache->state = HEAP_CACHE_CLOSED;
}

/* ---- the whole heap ---- */

void heap_configure(uint64_t quarantine_bytes, uint32_t quarantine_depth) {
    quarantine_most = quarantine_bytes;
    quarantine_least = quarantine_depth;
}

long heap_init(uint64_t quarantine_bytes, uint32_t quarantine_depth, uintptr_t *begin,
               size_t *size) {
    heap_configure(quarantine_bytes, quarantine_depth);
    *begin = WH_HEAP_BASE;
    *size = WH_HEAP_SIZE;
    for (unsigned shift = 0; shift < BLOCK_SHIFTS; shift++)
        classes[shift].open_end = slot_begin(shift, region_before(shift));
    long result = os_reserve(*begin, *size, OS_NONE);
    if (PORT_GUARDS && result == 0) open_first();
    return result;
}

void heap_lock_all(void) {
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift < BLOCK_SHIFTS; shift++)
        os_lock(&classes[shift].lock);
    pages_lock();
    loader_lock();
}

void heap_unlock_all(void) {
    loader_unlock();
    pages_unlock();
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift < BLOCK_SHIFTS; shift++)
        os_unlock(&classes[shift].lock);
}

uint64_t heap_quarantined_bytes(void) { return quarantined_total; }

uint32_t heap_quarantined_count(unsigned shift) { return classes[shift].quarantined_count; }
