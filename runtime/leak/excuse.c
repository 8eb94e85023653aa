#include "excuse.h"
#include "../os/os.h"

static struct os_lock lock;

void excuse_lock(void) { os_lock(&lock); }

void excuse_unlock(void) { os_unlock(&lock); }

/* ---- spans of time ---- */

/* Block ids are times of allocation: a block is excused if its thread allocated
 * it in one of the thread's spans. Spans of one thread do not overlap and stand
 * in order of time. */
struct span {
    uint64_t begin, end; /* end 0: still open */
};

#define SPANS 2046u

struct spans {
    struct spans *older;
    uint32_t count;
    struct span list[SPANS];
};

static struct spans *newest[UINT16_MAX + 1]; /* by thread number */
static int any_span;

static struct spans *room_for_span(uint16_t thread) {
    struct spans *spans = newest[thread];
    if (spans && spans->count < SPANS) return spans;
    struct spans *fresh = rt_private(sizeof *fresh);
    if (!fresh) return NULL;
    fresh->older = spans;
    __atomic_store_n(&newest[thread], fresh, __ATOMIC_RELEASE);
    return any_span = 1, fresh;
}

void excuse_begin(struct thread *thread) {
    static int lost;
    if (thread->excusing++) return;
    os_lock(&lock);
    struct spans *spans = room_for_span(thread->number);
    if (spans)
        spans->list[spans->count++] = (struct span){blocks_tick(), 0};
    else
        rt_note(&lost, "no memory to note which blocks the program excuses: they may be reported");
    os_unlock(&lock);
}

void excuse_end(struct thread *thread) {
    if (!thread->excusing || --thread->excusing) return;
    os_lock(&lock);
    struct spans *spans = newest[thread->number];
    if (spans && spans->count) spans->list[spans->count - 1].end = blocks_tick();
    os_unlock(&lock);
}

/* The last span of a chunk that begins at a time or before; NULL if there is none. */
static const struct span *span_before(const struct spans *spans, uint64_t time) {
    uint32_t low = 0, high = spans->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (spans->list[middle].begin <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &spans->list[low - 1] : NULL;
}

static int in_a_span(struct block block) {
    uint64_t time = block_id(block);
    const struct spans *spans = newest[block_thread(block)];
    for (; spans; spans = spans->older) {
        const struct span *span = span_before(spans, time);
        if (span) return !span->end || time < span->end;
    }
    return 0;
}

/* ---- single blocks ---- */

struct excused {
    struct excused *next;
    uintptr_t begin;
    uint64_t id;
};

static struct excused *all_excused;

int excuse_block(uintptr_t address) {
    struct block block = blocks_in_heap(address) ? block_at(address) : block_none();
    if (!block_is_live(block)) return 0;
    struct excused *excused = rt_private(sizeof *excused);
    if (!excused) return 0;
    excused->begin = block_begin(block);
    excused->id = block_id(block);
    os_lock(&lock);
    excused->next = all_excused;
    __atomic_store_n(&all_excused, excused, __ATOMIC_RELEASE);
    os_unlock(&lock);
    return 1;
}

static int lives(const struct excused *excused, struct block block) {
    return block_is_live(block) && block_id(block) == excused->id;
}

void excuse_blocks(void (*visit)(struct block block)) {
    for (const struct excused *excused = all_excused; excused; excused = excused->next) {
        struct block block = block_around(excused->begin);
        if (lives(excused, block)) visit(block);
    }
    uint64_t cursor = 0;
    struct block block = block_none();
    while (any_span && block_exists(block = block_next(&cursor, WH_BLOCK_LIVE)))
        if (in_a_span(block)) visit(block);
}

/* ---- memory to be searched ---- */

struct region {
    struct region *next;
    uintptr_t begin;
    uint64_t size;
    uint32_t count; /* how often it was added and not removed */
};

static struct region *all_regions;

static struct region *region_of(uintptr_t begin, uint64_t size, uint32_t least) {
    for (struct region *region = all_regions; region; region = region->next)
        if (region->begin == begin && region->size == size && region->count >= least) return region;
    return NULL;
}

void excuse_add_root(uintptr_t begin, uint64_t size) {
    os_lock(&lock);
    struct region *region = region_of(begin, size, 0);
    if (!region && (region = rt_private(sizeof *region))) {
        *region = (struct region){all_regions, begin, size, 0};
        __atomic_store_n(&all_regions, region, __ATOMIC_RELEASE);
    }
    if (region) region->count++;
    os_unlock(&lock);
}

int excuse_remove_root(uintptr_t begin, uint64_t size) {
    os_lock(&lock);
    struct region *region = region_of(begin, size, 1);
    if (region) region->count--;
    os_unlock(&lock);
    return region != NULL;
}

int excuse_has_roots(void) {
    for (const struct region *region = all_regions; region; region = region->next)
        if (region->count) return 1;
    return 0;
}

void excuse_roots(void (*visit)(uintptr_t begin, uintptr_t end)) {
    for (const struct region *region = all_regions; region; region = region->next)
        if (region->count) visit(region->begin, region->begin + region->size);
}
