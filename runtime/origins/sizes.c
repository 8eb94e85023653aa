#include "sizes.h"
#include "../blocks/block.h"
#include "../planes/chunks.h"

_Static_assert(sizeof(struct sizing) == 1u << WH_ORIGIN_SIZES_CELL_SHIFT, "a sizing is a cell");
_Static_assert(WH_ROLE_RIGHT - WH_ROLE_COUNT + 1 == SIZING_VALUES, "one role for each value");

static uint64_t used;
static const struct chunk_plane plane = {
    .table = WH_ORIGIN_SIZES_TABLE,
    .chunks = WH_ORIGIN_SIZES_BASE,
    .size = WH_ORIGIN_SIZES_SIZE,
    .unit_shift = WH_ORIGIN_DEATHS_UNIT_SHIFT,
    .chunk_shift = WH_ORIGIN_CHUNK_SHIFT,
    .cell_shift = WH_ORIGIN_SIZES_CELL_SHIFT,
    .used = &used,
};

long sizes_init(uintptr_t *begin, size_t *size) { return chunks_reserve(&plane, begin, size); }

/* Memory of the stack is no block before its zones stand: its address is its number. */
static uint64_t id_of(uintptr_t begin) {
    if (!blocks_in_heap(begin)) return begin;
    struct block block = block_around(begin);
    return block_begins_live(block, begin) ? block_id(block) : 0;
}

WH_EXPORT void __whence_origin_sized(uint64_t begin, uint64_t role, uint64_t has_sign,
                                     uint64_t value, uint32_t node) {
    uint64_t id = begin ? id_of(begin) : 0;
    struct sizing *sizing = id ? chunk_cell(&plane, begin, 1) : NULL;
    if (!sizing) return;
    int is_first = role == WH_ROLE_SIZE || role == WH_ROLE_COUNT;
    if (is_first) *sizing = (struct sizing){0};
    unsigned at = is_first ? 0 : (unsigned)(role - WH_ROLE_COUNT);
    sizing->values[at] = value;
    sizing->nodes[at] = node;
    sizing->roles[at] = (uint8_t)role;
    sizing->signs |= (uint32_t)has_sign << at;
    __atomic_store_n(&sizing->id, id, __ATOMIC_RELEASE);
}

static uint64_t total(const struct sizing *sizing) {
    return sizing->roles[0] == WH_ROLE_COUNT ? sizing->values[0] * sizing->values[1]
                                             : sizing->values[0];
}

/* Whether a variable has a size that is known only when it is made. */
static int varies(struct block block) {
    const char *text = block_text(block);
    return text && ((const struct whence_variable *)(uintptr_t)text)[-1].size == WHENCE_SIZE_VARIES;
}

const struct sizing *sizing_of(const struct whence_block *block) {
    struct block kept = block_inner(block->begin);
    if (!block_exists(kept)) kept = block_around(block->begin);
    if (!block_exists(kept) || block_id(kept) != block->id) return NULL;
    if (!block_in_heap(kept) && !varies(kept)) return NULL;
    const struct sizing *sizing = chunk_cell(&plane, block_begin(kept), 0);
    if (!sizing || sizing->id != block->id || total(sizing) != block_size(kept)) return NULL;
    return sizing;
}
