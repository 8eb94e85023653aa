#include "heap.h"
#include "slots.h"
#include "../os/mem.h"
#include "../planes/planes.h"

unsigned heap_shift(uint64_t size, uint64_t alignment) { return compact_shift(size, alignment); }

uint64_t heap_offset(unsigned shift, uint64_t index, uint64_t size, uint64_t alignment) {
    return compact_offset(shift, index, size, alignment);
}

/* ---- state bytes ---- */

#define ZONE8 (0x0101010101010101ull * WH_STATE_HEAP_RED_ZONE)
#define FREED8 (0x0101010101010101ull * WH_STATE_HEAP_FREED)

/* Slots of at most this shift hold their block at their begin and have at most
 * eight words of state. */
#define SMALL_SHIFT (HEAP_COLOUR_SHIFT - 1)

/* Writes a small slot's state: `whole` bytes of `inside`, one `last` if nonzero,
 * red zone for the rest. */
static void paint_small(uintptr_t slot, unsigned shift, unsigned whole, uint64_t inside,
                        uint8_t last) {
    if (!PLANES) return;
    uint8_t *state = plane_state(slot);
    unsigned full = whole / 8, rest = whole % 8;
    uint64_t keep = ~0ull << (8 * rest);
    uint64_t border = (inside & ~keep) | (ZONE8 & keep);
    if (last) border = (border & ~(0xffull << (8 * rest))) | (uint64_t)last << (8 * rest);
    if (shift == WH_MIN_SLOT_SHIFT) {
        *(uint32_t __attribute__((may_alias)) *)state = (uint32_t)border;
        return;
    }
    unsigned words = 1u << (shift - 6);
    volatile wh_word *word = (wh_word *)state;
    unsigned i = 0;
    for (; i < full; i++) word[i] = inside;
    if (i < words) word[i++] = border;
    for (; i < words; i++) word[i] = ZONE8;
}

static void paint_live(uintptr_t slot, unsigned shift, uintptr_t begin, uint64_t size) {
    uintptr_t slot_end = slot + (1ull << shift), end = wh_round_up(begin + size, WH_GRANULE);
    plane_set(slot, begin - slot, WH_STATE_HEAP_RED_ZONE);
    plane_open(begin, size);
    plane_set(end, slot_end - end, WH_STATE_HEAP_RED_ZONE);
}

/* ---- big slots ---- */

/* Poisoned bytes on each side of a big block; beyond them nothing is mapped. */
#define BIG_ZONE (64ull << 10)

static uintptr_t first_page(uintptr_t begin) { return wh_round_down(begin, OS_PAGE); }

static uint64_t page_span(uintptr_t begin, uint64_t size) {
    uintptr_t end = wh_round_up(begin + (size ? size : 1), OS_PAGE);
    return end - first_page(begin);
}

static int open_big(uintptr_t slot, unsigned shift, uintptr_t begin, uint64_t size) {
    uintptr_t slot_end = slot + (1ull << shift), end = wh_round_up(begin + size, WH_GRANULE);
    if (os_protect(first_page(begin), page_span(begin, size), OS_READ_WRITE) < 0) return 0;
    if (!PLANES) return 1;
    uint64_t before = begin - slot, after = slot_end - end; /* before: at most BIG_ZONE */
    if (after > BIG_ZONE) after = BIG_ZONE;
    /* The end of the slot before is never used. */
    plane_set(begin - before - WH_RED_ZONE, before + WH_RED_ZONE, WH_STATE_HEAP_RED_ZONE);
    if (size % WH_GRANULE) *plane_state(begin + size) = size % WH_GRANULE;
    plane_set(end, after, WH_STATE_HEAP_RED_ZONE);
    return 1;
}

static void seal_big(uintptr_t begin, uint64_t size) {
    os_discard(first_page(begin), page_span(begin, size));
    if (size < HEAP_SEAL) {
        plane_set(begin, wh_round_up(size, WH_GRANULE), WH_STATE_HEAP_FREED);
        return;
    }
    os_protect(first_page(begin), page_span(begin, size), OS_NONE);
    plane_set(begin, BIG_ZONE, WH_STATE_HEAP_FREED);
    uintptr_t end = wh_round_up(begin + size, WH_GRANULE);
    plane_set(end - BIG_ZONE, BIG_ZONE, WH_STATE_HEAP_FREED);
}

void heap_evicted_large(unsigned shift, uint64_t index) {
    const struct block_record *record = block_record(shift, index);
    uintptr_t begin = block_begin(record, shift, index), slot = slot_begin(shift, index);
    uint64_t size = block_size(record, shift, index);
    if (shift >= HEAP_BIG_SHIFT) {
        os_protect(first_page(begin), page_span(begin, size), OS_NONE);
        if (!PLANES) return;
        os_discard((uintptr_t)plane_state(slot), (1ull << shift) >> WH_GRANULE_SHIFT);
        plane_set(slot + (1ull << shift) - WH_RED_ZONE, WH_RED_ZONE, WH_STATE_HEAP_RED_ZONE);
    } else if (size >= HEAP_GIVE_BACK) {
        os_discard(first_page(begin), page_span(begin, size));
    }
}

/* ---- blocks ---- */

/* A record's time and thread. Where nothing is checked nobody asks, and a record only says that
 * its slot was used: the clock is the one thing that all threads share. */
static inline uint64_t stamp(uint16_t thread) {
    return PLANES ? blocks_tick() | (uint64_t)thread << BLOCK_ID_BITS : 1;
}

static void set_size(struct block_record *record, unsigned shift, uint64_t index, uint64_t size) {
    record->size = (uint32_t)size;
    if (WH_UNLIKELY(shift >= BLOCK_WIDE_SHIFT))
        blocks_wide_size[shift - BLOCK_WIDE_SHIFT][index] = size;
}

/* Makes the slot ready for a block of another place or size than its last one. */
static int prepare(struct block_record *record, unsigned shift, uint64_t index, uint64_t offset,
                   uint64_t size) {
    uintptr_t slot = slot_begin(shift, index);
    if (shift >= HEAP_BIG_SHIFT) return open_big(slot, shift, slot + offset, size);
    if (record->born && record->size == size && record->offset * 16u == offset)
        plane_open(slot + offset, size); /* the red zones are as they must be */
    else
        paint_live(slot, shift, slot + offset, size);
    return 1;
}

uintptr_t heap_new(struct heap_cache *cache, const struct heap_request *request) {
    uint64_t size = request->size;
    unsigned shift = heap_shift(size, request->alignment);
    if (WH_UNLIKELY(!shift)) return 0;
    uint64_t index = slots_take(cache, shift);
    if (WH_UNLIKELY(!index)) return 0;
    struct block_record *record = block_record(shift, index);
    uint64_t offset = 0;
    if (WH_LIKELY(shift <= SMALL_SHIFT)) {
        paint_small(slot_begin(shift, index), shift, (unsigned)(size / WH_GRANULE), 0,
                    size % WH_GRANULE);
    } else {
        offset = heap_offset(shift, index, size, request->alignment);
        if (!prepare(record, shift, index, offset, size)) {
            slots_give(cache, shift, index);
            return 0;
        }
    }
    uintptr_t begin = slot_begin(shift, index) + offset;
    int fresh = record->born == 0 || shift >= HEAP_BIG_SHIFT;
    record->born = stamp(request->thread);
    record->died = 0;
    set_size(record, shift, index, size);
    record->alloc_stack = request->stack;
    record->free_stack = 0;
    record->offset = (uint16_t)(offset >> block_unit_shift(shift));
    record->family = request->family;
    __atomic_store_n(&record->state, WH_BLOCK_LIVE, __ATOMIC_RELEASE);
    if (request->zeroed && !fresh) wh_fill((void *)begin, 0, size);
    return begin;
}

static int end_life(struct block_record *record) {
    uint8_t live = WH_BLOCK_LIVE;
    if (WH_UNLIKELY(os_has_threads()))
        return __atomic_compare_exchange_n(&record->state, &live, WH_BLOCK_FREED, 0,
                                           __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    if (record->state != WH_BLOCK_LIVE) return 0;
    record->state = WH_BLOCK_FREED;
    return 1;
}

int heap_release(struct heap_cache *cache, struct block_place place, uint32_t stack,
                 uint16_t thread) {
    unsigned shift = place.shift;
    struct block_record *record = block_record(shift, place.index);
    if (WH_UNLIKELY(!end_life(record))) return 0;
    record->died = stamp(thread);
    record->free_stack = stack;
    uintptr_t begin = block_begin(record, shift, place.index);
    uint64_t size = block_size(record, shift, place.index);
    if (WH_LIKELY(shift <= SMALL_SHIFT))
        paint_small(begin, shift, (unsigned)((size + WH_GRANULE - 1) / WH_GRANULE), FREED8, 0);
    else if (shift < HEAP_BIG_SHIFT)
        plane_set(begin, wh_round_up(size, WH_GRANULE), WH_STATE_HEAP_FREED);
    else
        seal_big(begin, size);
    slots_give(cache, shift, place.index);
    return 1;
}
