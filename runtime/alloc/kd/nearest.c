/* The block next to an address, all blocks in order, and the pages of freed ones. */
#include "placement.h"
#include "space.h"

static int is_known(const struct kd_location *at) {
    return at->kind == KD_LIVE || at->kind == KD_QUARANTINED || at->kind == KD_FREE;
}

/* Bytes between an address and a block: 0 inside it, 1 next to it. */
static uint64_t distance(uint64_t address, const struct kd_location *at) {
    if (address < at->begin) return at->begin - address;
    uint64_t end = at->begin + at->size;
    return address < end ? 0 : address - end + 1;
}

/* The nearer of two; of two that are equally near the live one. */
static void keep_nearer(uint64_t address, const struct kd_location *at, struct kd_location *best) {
    if (!is_known(at)) return;
    uint64_t far = distance(address, at), least = distance(address, best);
    int better = far < least || (far == least && at->kind == KD_LIVE && best->kind != KD_LIVE);
    if (!is_known(best) || better) *best = *at;
}

/* Bytes between neighbouring slots of those that have been cut, at least. */
static uint64_t grid(const struct kd_space *space, const struct bin_geometry *geometry,
                     uint64_t cut) {
    if (space->config.layout == KD_COMPACT || !cut) return 1ull << geometry->pitch;
    return 1ull << (geometry->bits - 1 - (63 - (unsigned)__builtin_clzll(cut)));
}

/* Of the grid's points at least every second one has been cut: two on each side are enough. */
static void nearest_slot(struct kd_state *state, uint64_t address, struct kd_location *best) {
    struct kd_space *space = state->space;
    unsigned region = best->region, bin = best->bin;
    const struct bin_geometry *geometry = &space->region[region].bin[bin];
    uint64_t begin = space->region[region].begin + geometry->begin;
    uint64_t step = grid(space, geometry, state_bin(state, region, bin)->cut);
    uint64_t point = wh_round_down(address - begin, step);
    for (int i = -1; i <= 2; i++) {
        uint64_t offset = point + (uint64_t)i * step;
        if (offset >= geometry->size) continue;
        struct kd_location at;
        state_find(state, begin + offset, &at);
        keep_nearer(address, &at, best);
    }
}

static void nearest_large(struct kd_state *state, uint64_t address, struct kd_location *best) {
    const struct large *large = &state->large[best->region];
    const struct large_node *before = large_before(large, address);
    const struct large_node *sides[] = {before, large_after(large, address)};
    for (unsigned i = 0; i < 2; i++) {
        struct kd_location at;
        if (!sides[i]) continue;
        state_find(state, sides[i]->begin, &at);
        keep_nearer(address, &at, best);
    }
}

void kd_nearest(struct kd_state *state, uint64_t address, struct kd_location *out) {
    struct kd_space *space = state->space;
    os_lock(&space->lock);
    state_find(state, address, out);
    if (out->kind != KD_OUTSIDE && out->bin < space->bins && !out->inside) {
        if (is_large_bin(space, out->bin))
            nearest_large(state, address, out);
        else
            nearest_slot(state, address, out);
    }
    out->inside = is_known(out) && address - out->begin < out->size;
    os_unlock(&space->lock);
}

/* ---- physical pages ---- */

/* Whether no other slot that has been cut begins within the pages of a block. */
static int has_pages_alone(struct kd_state *state, const struct kd_location *at) {
    const struct kd_space *space = state->space;
    if (is_large_bin(space, at->bin)) return 1;
    const struct bin_geometry *geometry = &space->region[at->region].bin[at->bin];
    uint64_t cut = state_bin(state, at->region, at->bin)->cut;
    return grid(space, geometry, cut) >= wh_round_up(geometry->slot, OS_PAGE);
}

void kd_discard(struct kd_state *state, const uint64_t *begins, size_t count) {
    os_lock(&state->space->lock);
    for (size_t i = 0; i < count; i++) {
        struct kd_location at;
        state_find(state, begins[i], &at);
        if (!is_known(&at) || at.kind == KD_LIVE || !has_pages_alone(state, &at)) continue;
        os_discard(wh_round_down(at.begin, OS_PAGE), wh_round_up(at.size ? at.size : 1, OS_PAGE));
    }
    os_unlock(&state->space->lock);
}

/* ---- all blocks ---- */

#define CURSOR_BITS 48u

/* The next block of a bin, in order of n, or of address where blocks are large. */
static int next_in_bin(struct kd_state *state, unsigned region, unsigned bin, uint64_t *from,
                       struct kd_location *out) {
    if (is_large_bin(state->space, bin)) {
        const struct large_node *node = large_after(&state->large[region], *from);
        if (!node) return 0;
        *from = node->begin;
        state_find(state, node->begin, out);
        return 1;
    }
    if (*from >= state_bin(state, region, bin)->cut) return 0;
    state_find(state, slot_address(state->space, region, bin, (*from)++), out);
    return 1;
}

static int next_of_kind(struct kd_state *state, unsigned region, enum kd_kind kind,
                        uint64_t *cursor, struct kd_location *out) {
    unsigned bin = (unsigned)(*cursor >> CURSOR_BITS);
    uint64_t from = *cursor & ((1ull << CURSOR_BITS) - 1);
    for (; bin < state->space->bins; bin++, from = 0)
        while (next_in_bin(state, region, bin, &from, out)) {
            *cursor = (uint64_t)bin << CURSOR_BITS | from;
            if (kind == KD_UNUSED || out->kind == kind) return 1;
        }
    *cursor = (uint64_t)bin << CURSOR_BITS;
    return 0;
}

int kd_next(struct kd_state *state, enum kd_region region, enum kd_kind kind, uint64_t *cursor,
            struct kd_location *out) {
    os_lock(&state->space->lock);
    int found = next_of_kind(state, region, kind, cursor, out);
    os_unlock(&state->space->lock);
    return found;
}
