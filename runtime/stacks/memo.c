#include "memo.h"
#include "../os/invariant.h"

uint32_t memo_generation = 1;

void memo_clear(struct memo *memo) {
    for (unsigned i = 0; i < MEMO_ENTRIES; i++) memo->entries[i].pc = 0;
}

/* What a walk read, and whether there is room for all of it. */
static int keep(struct memo_entry *entry, const struct reads *reads) {
    unsigned pairs = 0, singles = 0;
    for (unsigned i = 0; i < reads->count; i++) {
        const struct read *read = &reads->all[i];
        uint64_t at = (read->address - entry->frame) / sizeof(uint64_t);
        if (at > UINT32_MAX) return 0;
        if (read->paired) {
            if (pairs == MEMO_PAIRS) return 0;
            entry->pair_at[pairs] = (uint32_t)at;
            entry->pair[pairs++] = (memo_pair){read->value, read->next};
        } else {
            if (singles == MEMO_SINGLES) return 0;
            entry->single_at[singles] = (uint32_t)at;
            entry->single[singles++] = read->value;
        }
    }
    for (; pairs % MEMO_STEP; pairs++) {
        entry->pair_at[pairs] = entry->pair_at[0];
        entry->pair[pairs] = entry->pair[0];
    }
    WH_INVARIANT(pairs <= MEMO_PAIRS && singles <= MEMO_SINGLES);
    entry->pairs = (uint16_t)pairs;
    entry->singles = (uint16_t)singles;
    return 1;
}

uint32_t memo_learn(struct memo *memo, struct depot_cache *depot, const struct frame *frame,
                    const struct stack_bounds *stack, unsigned max) {
    uint32_t generation = __atomic_load_n(&memo_generation, __ATOMIC_ACQUIRE);
    if (memo->generation != generation) {
        memo_clear(memo);
        memo->generation = generation;
    }
    struct memo_entry *entry = &memo->entries[memo_at(frame) ^ (memo->turn++ & 1)];
    uint64_t pcs[WH_ALLOC_FRAMES], hash;
    struct reads reads;
    reads.count = 0;
    unsigned count = unwind_frames(frame, stack, pcs, max, &hash, &reads);
    uint32_t handle = depot_put_cached(depot, pcs, count, hash);
    if (!unwind_on_stack(frame, stack)) return handle;
    entry->pc = 0;
    entry->frame = (uintptr_t)frame;
    entry->handle = handle;
    if (keep(entry, &reads)) entry->pc = frame->return_address;
    return handle;
}
