/* The allocator of heap.h for guarded slots: it shares slots and caches, and places blocks
 * differently in them. */
#include "guard.h"
#include "../alloc/slots.h"
#include "../os/mem.h"
#include "dispatch.h"
#include "lend.h"
#include "pager.h"
#include "pattern.h"
#include "report.h"
#include "trap.h"

struct guard_config guard;
__thread const struct frame *guard_frame;

/* In plain mode, blocks in slots of this shift and larger have pages of their own. */
#define PLAIN_MOST 20u

void guard_init(const struct guard_config *config) {
    guard = *config;
    guard_front = guard.red;
    blocks_reserved = guard.reserved;
    unsigned paged = 64 - (unsigned)__builtin_clzll(2 * guard.red + OS_PAGE + guard.empty - 1);
    guard_first_shift = guard.type == GUARD_PLAIN ? PLAIN_MOST : paged;
}

/* ---- placement ---- */

/* The shift of the slot for a block with pages of its own; 0 if the block is too large. */
static unsigned paged_shift(uint64_t size, uint64_t alignment) {
    if (size > HEAP_MAX_SIZE) return 0;
    uint64_t pages = wh_round_up(size ? size : 1, OS_PAGE);
    uint64_t need = 2 * guard.red + guard.empty + pages + (alignment > OS_PAGE ? alignment : 0);
    unsigned shift = 64 - (unsigned)__builtin_clzll(need - 1);
    if (shift < guard_first_shift) shift = guard_first_shift;
    return shift > WH_MAX_SLOT_SHIFT ? 0 : shift;
}

/* The shift of the plain slot for a block; 0 if the block is too large for one. */
static unsigned plain_shift(uint64_t size, uint64_t alignment) {
    unsigned shift = compact_shift(size, alignment);
    return shift < guard_first_shift ? shift : 0;
}

static unsigned preferred_shift(const struct heap_request *request) {
    unsigned plain = guard.type == GUARD_PLAIN ? plain_shift(request->size, request->alignment) : 0;
    return plain ? plain : paged_shift(request->size, request->alignment);
}

/* The alignment of a block, given the one that was requested, which is 16 by default. */
static uint64_t needed_alignment(uint64_t size, uint64_t alignment) {
    if (alignment > 16 || guard.alignment == GUARD_ALWAYS || size >= 16)
        return guard.alignment == GUARD_EXACT && alignment <= 16 ? 1 : alignment;
    if (guard.alignment == GUARD_EXACT || size == 0) return 1;
    return 1ull << (63 - __builtin_clzll(size));
}

/* The `offset` in the record of a block, see record_begin. */
static uint16_t paged_offset(uintptr_t slot, uint64_t size, uint64_t alignment) {
    uintptr_t data = slot + guard_front;
    if (alignment > OS_PAGE)
        return (uint16_t)(GUARD_PAGES + (wh_round_up(data, alignment) - data) / OS_PAGE);
    if (guard.type == GUARD_BOTTOM || size == 0) return 0;
    uint64_t lead = wh_round_up(size, OS_PAGE) - size;
    return (uint16_t)wh_round_down(lead, needed_alignment(size, alignment));
}

#define ALIGNMENT_MOST ((uint64_t)(GUARD_PAGES - 1) * OS_PAGE)

struct guard_span guard_span(struct block place) {
    const struct block_record *record = block_record(place.region, place.slot);
    uintptr_t begin = record_begin(record, place.region, place.slot);
    uint64_t size = record_size(record, place.region, place.slot);
    if (!size) return (struct guard_span){begin, begin};
    return (struct guard_span){wh_round_down(begin, OS_PAGE), wh_round_up(begin + size, OS_PAGE)};
}

/* ---- the block that an access is reported for ---- */

struct block guard_judge(uintptr_t address) {
    struct block none = {0, 0}, place = heap_block(address);
    if (!place.slot || claimed(address)) return none;
    if (!guard_is_paged(place)) return block_nearest(address);
    if (!block_record(place.region, place.slot)->born) return none;
    struct guard_span span = guard_span(place);
    int near = address >= span.begin - guard.red && address < span.end + guard.red;
    return near ? place : none;
}

/* ---- blocks ---- */

/* A block with pages of its own is a mapping, and so is the gap after it. The allocator leaves some
 * of the mappings that the system allows (vm.max_map_count) to the program. */
#define MAPPINGS_LEFT 10000u
#define MAPPINGS_USUAL 65530u

static uint64_t paged_live;

static uint64_t paged_most(void) {
    static uint64_t most;
    if (most) return most;
    char text[32];
    long size = os_read_file("/proc/sys/vm/max_map_count", text, sizeof text);
    uint64_t allowed = 0;
    for (long i = 0; i < size && text[i] >= '0' && text[i] <= '9'; i++)
        allowed = allowed * 10 + (uint64_t)(text[i] - '0');
    if (!allowed) allowed = MAPPINGS_USUAL;
    return most = allowed > 2 * MAPPINGS_LEFT ? (allowed - MAPPINGS_LEFT) / 2 : allowed / 4 + 1;
}

static int open_pages(struct block place) {
    struct guard_span span = guard_span(place);
    if (span.begin == span.end) return 1;
    if (__atomic_load_n(&paged_live, __ATOMIC_RELAXED) >= paged_most()) return 0;
    if (os_protect(span.begin, span.end - span.begin, OS_READ_WRITE) < 0) return 0;
    os_add(&paged_live, 1);
    pattern_lay(place);
    if (dispatch_leaves_open())
        trap_filled(place);
    else if (trap_is_on())
        os_protect(span.begin, span.end - span.begin, trap_access());
    return 1;
}

static int is_new_memory(struct block place, const struct block_record *record) {
    return guard_is_paged(place) || !record->born;
}

static int begin_life(struct block place, const struct heap_request *request) {
    struct block_record *record = block_record(place.region, place.slot);
    int paged = guard_is_paged(place), fresh = is_new_memory(place, record);
    uint64_t size = request->size;
    if (!paged && record->born) report_damage_freed(place, guard_frame);
    record->size = (uint32_t)size;
    if (WH_UNLIKELY(place.region >= BLOCK_WIDE_SHIFT))
        blocks_wide_size[place.region - BLOCK_WIDE_SHIFT][place.slot] = size;
    record->offset =
        paged ? paged_offset(slot_begin(place.region, place.slot), size, request->alignment) : 0;
    if (paged || guard_options_used) *guard_extra(place) = (struct guard_extra){0};
    if (paged && !open_pages(place)) return 0;
    if (!paged) pattern_lay(place);
    record->born = blocks_tick() | (uint64_t)request->thread << BLOCK_ID_BITS;
    record->died = 0;
    record->alloc_stack = request->stack;
    record->free_stack = 0;
    record->request = life_request(request->family, request->given);
    if (request->zeroed && !fresh) wh_fill((void *)slot_begin(place.region, place.slot), 0, size);
    if (paged && request->zeroed) guard_extra(place)->flags |= GUARD_TOUCHED;
    __atomic_store_n(&record->state, WH_BLOCK_LIVE, __ATOMIC_RELEASE);
    if (paged) pager_born(place);
    return 1;
}

static uintptr_t place_block(struct heap_cache *cache, unsigned shift,
                             const struct heap_request *request) {
    struct block place = {shift ? slots_take(cache, shift) : 0, shift};
    if (!place.slot) return 0;
    if (begin_life(place, request))
        return record_begin(block_record(shift, place.slot), shift, place.slot);
    block_record(shift, place.slot)->born = 0;
    slots_give(cache, shift, place.slot);
    return 0;
}

uintptr_t heap_new(struct heap_cache *cache, const struct heap_request *request) {
    uintptr_t begin = 0;
    dispatch_resume();
    if (WH_UNLIKELY(request->size > HEAP_MAX_SIZE)) return 0;
    if (WH_LIKELY(!lend_everything && request->alignment <= ALIGNMENT_MOST))
        begin = place_block(cache, preferred_shift(request), request);
    if (WH_LIKELY(begin)) return begin;
    unsigned plain = lend_everything ? 0 : plain_shift(request->size, request->alignment);
    if (plain && (begin = place_block(cache, plain, request))) lend_note(LEND_UNGUARDED);
    return begin ? begin : lend_new(request);
}

/* A fresh mapping merges with its neighbours; where the system refuses one, the old mapping stays.
 */
static void close_pages(struct guard_span span) {
    if (os_close_pages(span.begin, span.end - span.begin) >= 0) return;
    os_protect(span.begin, span.end - span.begin, OS_NONE);
    os_discard(span.begin, span.end - span.begin);
}

int heap_release(struct heap_cache *cache, struct block place, uint32_t stack, uint16_t thread) {
    struct block_record *record = block_record(place.region, place.slot);
    uint8_t live = WH_BLOCK_LIVE;
    if (!__atomic_compare_exchange_n(&record->state, &live, WH_BLOCK_FREED, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return 0;
    record->died = blocks_tick() | (uint64_t)thread << BLOCK_ID_BITS;
    record->free_stack = stack;
    struct guard_span span = guard_span(place);
    int paged = guard_is_paged(place) && span.begin < span.end;
    if (paged) os_add(&paged_live, UINT64_MAX);
    int packed = paged && pager_died(place);
    if (slot_claimed(place.region, place.slot)) {
        claims_return(span.begin, span.end);
        return 1;
    }
    if (!guard_is_paged(place))
        pattern_lay_freed(place);
    else if (paged && !packed)
        close_pages(span);
    slots_give(cache, place.region, place.slot);
    return 1;
}

/* A block never grows in place: it ends at a closed page ... */
int heap_resize(struct block place, uint64_t size) {
    (void)place;
    (void)size;
    return 0;
}

/* ... and its pages never move to another block: accesses to them may be observed. */
int heap_move_pages(struct block from, struct block to, uint64_t bytes) {
    (void)from, (void)to, (void)bytes;
    return 0;
}

void port_evicted(unsigned shift, uint64_t index) {
    (void)shift;
    (void)index;
}
