#include "deaths.h"
#include "../os/mem.h"
#include "../planes/chunks.h"
#include "nodes.h"

_Static_assert(sizeof(struct death) == 1u << WH_ORIGIN_DEATHS_CELL_SHIFT, "a death is a cell");
_Static_assert(1u << WH_ORIGIN_DEATHS_UNIT_SHIFT <= BLOCKS_APART, "each block has one of its own");

static uint64_t used;
static const struct chunk_plane plane = {
    .table = WH_ORIGIN_DEATHS_TABLE,
    .chunks = WH_ORIGIN_DEATHS_BASE,
    .size = WH_ORIGIN_DEATHS_SIZE,
    .unit_shift = WH_ORIGIN_DEATHS_UNIT_SHIFT,
    .chunk_shift = WH_ORIGIN_CHUNK_SHIFT,
    .cell_shift = WH_ORIGIN_DEATHS_CELL_SHIFT,
    .used = &used,
};

long deaths_init(uintptr_t *begin, size_t *size) { return chunks_reserve(&plane, begin, size); }

/* Losses that no block knows yet, oldest first. Programs with one thread lose the same pointers
 * again and again, and only the last time counts. Generated code writes some here by itself. Where
 * a signal handler has interrupted this, some of its own may be missing. */
#define LATELY 1024u
static struct whence_origin_lost lately[LATELY];

#define OWN (&__whence_origins.passed)

static uint64_t count(void) {
    return OWN->lost_next ? (OWN->lost_next - (uintptr_t)lately) / sizeof *lately : 0;
}

static void put_holder(struct whence_origin_lost *lost, uintptr_t place) {
    struct block holder = place && blocks_in_heap(place) ? block_around(place) : block_none();
    lost->holder = block_is_live(holder) ? block_alloc_stack(holder) : 0;
    lost->size = lost->holder ? (uint32_t)block_size(holder) : 0;
    if (lost->holder && lost->size != block_size(holder)) lost->holder = 0;
}

/* Nothing happens if the pointer points to no live block of the heap, or to one that is younger. */
static void tell_block(const struct whence_origin_lost *lost) {
    uintptr_t pointer = ~lost->inverted;
    struct block block = blocks_in_heap(pointer) ? block_around(pointer) : block_none();
    if (!block_is_live(block) || block_id(block) > lost->clock) return;
    struct death *death = chunk_cell(&plane, block_begin(block), 1);
    if (!death) return;
    death->id = 0; /* a reader in another thread finds none while this one writes */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    death->site = lost->site;
    death->node = lost->node;
    death->tag = lost->tag;
    death->holder = lost->holder;
    death->size = lost->size;
    __atomic_store_n(&death->id, block_id(block), __ATOMIC_RELEASE);
}

/* Forgets all but the last loss of each pointer, as far as the table tells. */
static void keep_last(uint64_t end) {
    static uint64_t seen[LATELY];
    wh_fill(seen, 0, sizeof seen);
    for (uint64_t i = end; i-- > 0;) {
        uint64_t *entry = &seen[lately[i].inverted * 0x9E3779B97F4A7C15ull >> 54];
        if (*entry == lately[i].inverted) lately[i].inverted = 0;
        if (lately[i].inverted) *entry = lately[i].inverted;
    }
}

static void settle(void) {
    uint64_t end = count();
    keep_last(end);
    for (uint64_t i = 0; i < end; i++) {
        if (lately[i].inverted) tell_block(&lately[i]);
        lately[i].inverted = 0;
    }
}

/* Has generated code ask each time, until the next loss. */
void deaths_settle(void) {
    settle();
    OWN->lost_next = OWN->lost_end = 0;
}

/* Where the next loss belongs; it is the given one if it is to be told at once. */
static struct whence_origin_lost *next(struct whence_origin_lost *alone) {
    if (WH_UNLIKELY(os_has_threads())) return alone;
    if (OWN->lost_next == OWN->lost_end) {
        settle();
        OWN->lost_clock = (uintptr_t)&blocks_clock;
        OWN->lost_next = (uintptr_t)lately;
        OWN->lost_end = (uintptr_t)&lately[LATELY];
    }
    uintptr_t at = OWN->lost_next;
    OWN->lost_next = at + sizeof *lately;
    return (struct whence_origin_lost *)at;
}

void death_note(const struct whence_origin_site *site, uint64_t pointer, uint32_t node,
                uintptr_t place) {
    if (!blocks_in_heap(pointer)) return;
    struct whence_origin_lost alone, *lost = next(&alone);
    lost->site = site;
    lost->clock = blocks_clock;
    lost->node = node;
    lost->tag = node_tag(node_own());
    lost->holder = lost->size = 0;
    if (place) put_holder(lost, place);
    lost->inverted = ~pointer;
    if (lost == &alone) tell_block(lost);
}

const struct death *death_of(struct block block) {
    deaths_settle();
    if (!block_is_live(block) || !blocks_in_heap(block_begin(block))) return NULL;
    const struct death *death = chunk_cell(&plane, block_begin(block), 0);
    return death && death->id == block_id(block) ? death : NULL;
}
