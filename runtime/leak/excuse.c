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

static int in_a_span(const struct block_record *record) {
    uint64_t time = record->born & BLOCK_ID_MASK;
    const struct spans *spans = newest[record->born >> BLOCK_ID_BITS];
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
    struct block_place place = blocks_holding(address);
    if (!place.index) return 0;
    const struct block_record *record = block_record(place.shift, place.index);
    if (record->state != WH_BLOCK_LIVE) return 0;
    struct excused *excused = rt_private(sizeof *excused);
    if (!excused) return 0;
    excused->begin = block_begin(record, place.shift, place.index);
    excused->id = record->born & BLOCK_ID_MASK;
    os_lock(&lock);
    excused->next = all_excused;
    __atomic_store_n(&all_excused, excused, __ATOMIC_RELEASE);
    os_unlock(&lock);
    return 1;
}

static int lives(const struct excused *excused, struct block_place place) {
    const struct block_record *record = block_record(place.shift, place.index);
    return place.index && record->state == WH_BLOCK_LIVE &&
           (record->born & BLOCK_ID_MASK) == excused->id;
}

void excuse_blocks(void (*visit)(struct block_place place)) {
    for (const struct excused *excused = all_excused; excused; excused = excused->next) {
        struct block_place place = block_place(excused->begin);
        if (lives(excused, place)) visit(place);
    }
    uint64_t cursor = 0;
    struct block_place place = {0, 0};
    while (any_span && (place = blocks_next(&cursor, WH_BLOCK_LIVE)).index)
        if (in_a_span(block_record(place.shift, place.index))) visit(place);
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

void excuse_roots(void (*visit)(uintptr_t begin, uintptr_t end)) {
    for (const struct region *region = all_regions; region; region = region->next)
        if (region->count) visit(region->begin, region->begin + region->size);
}
