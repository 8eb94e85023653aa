#include "heap.h"
#include "pages.h"
#include "quick.h"
#include "slots.h"
#include "../os/invariant.h"
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
    if (!PORT_PLANES) return;
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

/* The first and the last granule of a live block are open, and a red zone follows. */
static inline int is_between_zones(uintptr_t begin, uint64_t size) {
    uintptr_t end = wh_round_up(begin + size, WH_GRANULE);
    if (!PORT_PLANES) return 1;
    if (*plane_state(end) != WH_STATE_HEAP_RED_ZONE) return 0;
    if (size % WH_GRANULE && *plane_state(end - WH_GRANULE) != size % WH_GRANULE) return 0;
    return size < WH_GRANULE || *plane_state(begin) == WH_STATE_ADDRESSABLE;
}

/* ---- big slots ---- */

/* Poisoned bytes on each side of a big block; beyond them nothing is mapped. */
#define BIG_ZONE (64ull << 10)

static uintptr_t first_page(uintptr_t begin) { return wh_round_down(begin, OS_PAGE); }

static uint64_t page_span(uintptr_t begin, uint64_t size) {
    uintptr_t end = wh_round_up(begin + (size ? size : 1), OS_PAGE);
    return end - first_page(begin);
}

/* Beyond this many bytes a gap is not worth its state bytes. */
#define GAP_MOST (64ull << 20)

/* When no more mappings are to be had (vm.max_map_count), one can still grow: that of the block
 * before, over the gap, which is poisoned. */
static WH_COLD int open_with_gap(unsigned shift, uint64_t index, uintptr_t begin, uint64_t size) {
    const struct block_record *record = block_record(shift, index - 1);
    if (index <= region_before(shift) + 1 || !block_used(record)) return 0;
    if (slot_claimed(shift, index - 1)) return 0;
    uintptr_t before = record_begin(record, shift, index - 1);
    uintptr_t gap = first_page(before) + page_span(before, record_size(record, shift, index - 1));
    if (first_page(begin) - gap > GAP_MOST) return 0;
    uintptr_t end = first_page(begin) + page_span(begin, size);
    if (os_protect(gap, end - gap, OS_READ_WRITE) < 0) return 0;
    plane_set(gap, first_page(begin) - gap, WH_STATE_HEAP_RED_ZONE);
    return 1;
}

static void forget_state(unsigned shift, uint64_t index) {
    os_discard((uintptr_t)plane_state(slot_begin(shift, index)),
               (1ull << shift) >> WH_GRANULE_SHIFT);
}

/* Some slot could not be closed when it left the quarantine. */
static int some_stay_open;

static int open_big(unsigned shift, uint64_t index, uintptr_t begin, uint64_t size) {
    uintptr_t slot = slot_begin(shift, index), slot_end = slot + (1ull << shift);
    uintptr_t end = wh_round_up(begin + size, WH_GRANULE);
    if (os_open_pages(first_page(begin), page_span(begin, size)) < 0 &&
        !open_with_gap(shift, index, begin, size))
        return 0;
    if (WH_UNLIKELY(some_stay_open) && block_used(block_record(shift, index)))
        forget_state(shift, index);
    uint64_t before = begin - slot, after = slot_end - end; /* before: at most BIG_ZONE */
    if (after > BIG_ZONE) after = BIG_ZONE;
    /* No block uses the end of the slot before. */
    if (!slot_claimed(shift, index - 1)) before += WH_RED_ZONE;
    plane_set(begin - before, before, WH_STATE_HEAP_RED_ZONE);
    if (size % WH_GRANULE) *plane_state(begin + size) = size % WH_GRANULE;
    plane_set(end, after, WH_STATE_HEAP_RED_ZONE);
    return 1;
}

static void seal_big(uintptr_t begin, uint64_t size) {
    os_discard(first_page(begin), page_span(begin, size));
    if (size < HEAP_SEAL || os_protect(first_page(begin), page_span(begin, size), OS_NONE) < 0) {
        plane_set(begin, wh_round_up(size, WH_GRANULE), WH_STATE_HEAP_FREED);
        return;
    }
    plane_set(begin, BIG_ZONE, WH_STATE_HEAP_FREED);
    uintptr_t end = wh_round_up(begin + size, WH_GRANULE);
    plane_set(end - BIG_ZONE, BIG_ZONE, WH_STATE_HEAP_FREED);
}

void port_evicted(unsigned shift, uint64_t index) {
    uintptr_t slot_end = slot_begin(shift, index + 1);
    if (os_renew(slot_begin(shift, index), 1ull << shift, OS_NONE) < 0) {
        some_stay_open = 1; /* and poisoned, until they are used again */
        return;
    }
    forget_state(shift, index);
    plane_set(slot_end - WH_RED_ZONE, WH_RED_ZONE, WH_STATE_HEAP_RED_ZONE);
}

/* ---- blocks ---- */

/* What does not fit the record. */
static void set_wide_size(struct block place, uint64_t size) {
    if (WH_UNLIKELY(place.region >= BLOCK_WIDE_SHIFT))
        blocks_wide_size[place.region - BLOCK_WIDE_SHIFT][place.slot] = size;
}

static void look(const struct block_record *record) {
    if (WH_UNLIKELY(life_id(record) == blocks_watched)) whence_debug_block_reached();
}

static void begin_life(struct block_record *record, struct block place, uint64_t offset,
                       const struct heap_request *request) {
    WH_INVARIANT(record->state != WH_BLOCK_LIVE);
    WH_INVARIANT(offset + request->size + WH_RED_ZONE <= 1ull << place.region);
    set_wide_size(place, request->size);
    life_begin(record, life_stamp(&blocks_clock, request->thread), request->size, request->stack,
               (uint16_t)(offset >> block_unit_shift(place.region)),
               life_request(request->family, request->given));
    look(record);
}

static int end_life(struct block_record *record, uint32_t stack, uint16_t thread) {
    if (WH_UNLIKELY(!life_end(record))) return 0;
    life_ended(record, life_stamp(&blocks_clock, thread), stack);
    look(record);
    return 1;
}

/* Makes the slot ready for a block of another place or size than its last one. */
static int prepare(struct block_record *record, unsigned shift, uint64_t index, uint64_t offset,
                   uint64_t size) {
    uintptr_t slot = slot_begin(shift, index);
    if (heap_seals(shift)) return open_big(shift, index, slot + offset, size);
    if (1ull << shift > HEAP_GIVE_BACK) pages_reused(slot);
    if (!PORT_PLANES) return 1;
    if (block_used(record) && record->size == size && record->offset * 16u == offset)
        plane_open(slot + offset, size); /* the red zones are as they must be */
    else
        paint_live(slot, shift, slot + offset, size);
    return 1;
}

/* From this size on a block without contents gets fresh pages: the program may never touch them. */
#define FRESH_PAGES (1ull << 20)

static void zero(uintptr_t begin, uint64_t size) {
    uintptr_t from = wh_round_up(begin, OS_PAGE), to = wh_round_down(begin + size, OS_PAGE);
    if (size < FRESH_PAGES) {
        quick_zero(begin, size);
        return;
    }
    quick_zero(begin, from - begin);
    os_discard(from, to - from);
    quick_zero(to, begin + size - to);
}

static uintptr_t new_in(struct heap_cache *cache, unsigned shift,
                        const struct heap_request *request) {
    uint64_t size = request->size, index = slots_take(cache, shift);
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
    int fresh = !block_used(record) || heap_seals(shift);
    begin_life(record, (struct block){index, shift}, offset, request);
    WH_INVARIANT(record_begin(record, shift, index) == begin);
    WH_INVARIANT(is_between_zones(begin, size));
    if (request->zeroed && !fresh) zero(begin, size);
    return begin;
}

uintptr_t heap_new(struct heap_cache *cache, const struct heap_request *request) {
    unsigned shift = heap_shift(request->size, request->alignment);
    if (WH_UNLIKELY(!shift)) return 0;
    unsigned wanted = shift;
    if (request->roomy && shift >= HEAP_ROOMY_SHIFT) wanted += HEAP_ROOM_SHIFT;
    uintptr_t begin = wanted <= WH_MAX_SLOT_SHIFT ? new_in(cache, wanted, request) : 0;
    if (WH_LIKELY(begin)) return begin;
    while (shift <= WH_MAX_SLOT_SHIFT && !begin) begin = new_in(cache, shift++, request);
    return begin;
}

int heap_resize(struct block place, uint64_t size) {
    struct block_record *record = block_record(place.region, place.slot);
    uintptr_t slot = slot_begin(place.region, place.slot);
    uintptr_t begin = record_begin(record, place.region, place.slot);
    uint64_t old = record_size(record, place.region, place.slot);
    uint64_t room = (1ull << place.region) - (begin - slot) - WH_RED_ZONE;
    unsigned enough = heap_shift(size, WH_RED_ZONE);
    unsigned most = enough < HEAP_ROOMY_SHIFT ? enough : enough + HEAP_ROOM_SHIFT;
    if (heap_seals(place.region) || size > room || place.region > most) return 0;
    if (slot_claimed(place.region, place.slot)) return 0;
    uintptr_t unused = wh_round_up(begin + size, OS_PAGE);
    if (size + HEAP_GIVE_BACK < old) os_discard(unused, wh_round_up(begin + old, OS_PAGE) - unused);
    if (PORT_PLANES) paint_live(slot, place.region, begin, size);
    record->size = (uint32_t)size;
    set_wide_size(place, size);
    return 1;
}

int heap_move_pages(struct block from, struct block to, uint64_t bytes) {
    if (bytes < HEAP_MOVED_LEAST || from.region < HEAP_PAGES_SHIFT || to.region < HEAP_PAGES_SHIFT)
        return 0;
    const struct block_record *record = block_record(to.region, to.slot);
    uintptr_t old = record_begin(block_record(from.region, from.slot), from.region, from.slot);
    uintptr_t begin = record_begin(record, to.region, to.slot);
    if ((old ^ begin) % OS_PAGE || slot_claimed(from.region, from.slot)) return 0;
    return os_move(first_page(old), page_span(old, bytes), first_page(begin),
                   page_span(begin, record_size(record, to.region, to.slot)));
}

/* A block that the program has mapped something over, or unmapped, in part. The mapping stays, as
 * it does natively, and nobody may use it any more. */
static WH_COLD void release_claimed(unsigned shift, uintptr_t begin, uint64_t size) {
    plane_set(begin, wh_round_up(size, WH_GRANULE), WH_STATE_HEAP_FREED);
    if (shift >= OS_PAGE_SHIFT) claims_return(begin, begin + size);
}

int heap_release(struct heap_cache *cache, struct block place, uint32_t stack, uint16_t thread) {
    unsigned shift = place.region;
    struct block_record *record = block_record(shift, place.slot);
    if (WH_UNLIKELY(!end_life(record, stack, thread))) return 0;
    uintptr_t begin = record_begin(record, shift, place.slot);
    uint64_t size = record_size(record, shift, place.slot);
    if (slot_claimed(shift, place.slot)) {
        release_claimed(shift, begin, size);
        return 1;
    }
    if (WH_LIKELY(shift <= SMALL_SHIFT))
        paint_small(begin, shift, (unsigned)((size + WH_GRANULE - 1) / WH_GRANULE), FREED8, 0);
    else if (heap_seals(shift))
        seal_big(begin, size);
    else
        plane_set(begin, wh_round_up(size, WH_GRANULE), WH_STATE_HEAP_FREED);
    if (WH_UNLIKELY(size >= HEAP_GIVE_BACK && !heap_seals(shift)))
        pages_freed(slot_begin(shift, place.slot), first_page(begin), page_span(begin, size));
    slots_give(cache, shift, place.slot);
    return 1;
}
