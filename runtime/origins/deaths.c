#include "deaths.h"
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

static void put_holder(struct death *death, uintptr_t place) {
    struct block holder = place && blocks_in_heap(place) ? block_around(place) : block_none();
    death->holder = block_is_live(holder) ? block_alloc_stack(holder) : 0;
    death->size = death->holder ? (uint32_t)block_size(holder) : 0;
    if (death->holder && death->size != block_size(holder)) death->holder = 0;
}

void death_note(const struct whence_origin_site *site, uint64_t pointer, uint32_t node,
                uintptr_t place) {
    struct block block = blocks_in_heap(pointer) ? block_around(pointer) : block_none();
    if (!block_is_live(block)) return;
    struct death *death = chunk_cell(&plane, block_begin(block), 1);
    if (!death) return;
    death->id = 0; /* a reader in another thread finds none while this one writes */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    death->site = site;
    death->node = node;
    death->tag = node_tag(node_own());
    put_holder(death, place);
    __atomic_store_n(&death->id, block_id(block), __ATOMIC_RELEASE);
}

const struct death *death_of(struct block block) {
    if (!block_is_live(block) || !blocks_in_heap(block_begin(block))) return NULL;
    const struct death *death = chunk_cell(&plane, block_begin(block), 0);
    return death && death->id == block_id(block) ? death : NULL;
}
