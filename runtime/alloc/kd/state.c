/* States: which blocks live where. Every call here locks the space. */
#include "space.h"
#include "../../os/invariant.h"

/* Entries that one call may change: the block's and that of the one it pushes out; in
 * kd_reallocate also the new block's. */
#define CHANGES_MOST 4u

static enum kd_status locked(struct kd_space *space, enum kd_status status) {
    os_unlock(&space->lock);
    return status;
}

/* ---- life of a state ---- */

struct kd_state *kd_new(struct kd_space *space) {
    os_lock(&space->lock);
    struct kd_state *state = books_new(&space->books, state_bytes(space));
    if (state) {
        wh_fill(state, 0, state_bytes(space));
        state->space = space;
        for (unsigned i = 0; i < KD_REGIONS && space->config.layout == KD_SPREAD; i++) {
            const struct region *region = &space->region[i];
            const struct bin_geometry *large = &region->bin[space->bins - 1];
            state->large[i].begin = region->begin + large->begin;
            state->large[i].gap = large->size;
        }
        space->states++;
    }
    os_unlock(&space->lock);
    return state;
}

struct kd_state *kd_clone(struct kd_state *state) {
    struct kd_space *space = state->space;
    os_lock(&space->lock);
    struct kd_state *copy = books_new(&space->books, state_bytes(space));
    if (copy) {
        wh_copy(copy, state, state_bytes(space));
        for (unsigned i = 0; i < KD_REGIONS * space->bins; i++) {
            tree_share(&copy->bin[i].tree);
            if (copy->bin[i].held) copy->bin[i].held->references++;
        }
        for (unsigned i = 0; i < KD_REGIONS; i++) large_share(&copy->large[i]);
        space->states++;
    }
    os_unlock(&space->lock);
    return copy;
}

void kd_drop(struct kd_state *state) {
    struct kd_space *space = state->space;
    os_lock(&space->lock);
    for (unsigned i = 0; i < KD_REGIONS * space->bins; i++) {
        tree_drop(&space->books, &state->bin[i].tree);
        ring_drop(&space->books, state->bin[i].held);
    }
    for (unsigned i = 0; i < KD_REGIONS; i++) large_drop(&space->books, &state->large[i]);
    books_drop(&space->books, state, state_bytes(space));
    space->states--;
    os_unlock(&space->lock);
}

/* ---- where an address is; the space is locked ---- */

static void tell_slot(struct kd_state *state, uint64_t n, struct kd_location *out) {
    const struct kd_space *space = state->space;
    const struct bin *bin = state_bin(state, out->region, out->bin);
    out->slot = slot_address(space, out->region, out->bin, n);
    out->room = 1ull << space->region[out->region].bin[out->bin].pitch;
    if (n >= bin->cut) return;
    int dead;
    const struct tree_entry *entry = tree_find(&bin->tree, n, &dead);
    out->index = n;
    out->kind = dead ? KD_QUARANTINED : entry->kind;
    out->begin = out->slot + (dead ? 0 : entry->place * 16);
    out->size = dead ? 0 : entry->size;
    out->tag = dead ? 0 : entry->tag;
}

static void tell_large(const struct large_node *node, struct kd_location *out) {
    out->kind = node->kind;
    out->index = node->serial;
    out->slot = out->begin = node->begin;
    out->room = node->span;
    out->size = node->size;
    out->tag = node->tag;
}

void state_find(struct kd_state *state, uint64_t address, struct kd_location *out) {
    const struct kd_space *space = state->space;
    *out = (struct kd_location){.kind = KD_OUTSIDE};
    out->region = space_region(space, address);
    if (out->region == KD_REGIONS) return;
    out->kind = KD_UNUSED;
    out->bin = space_bin(space, &space->region[out->region], address);
    if (out->bin == space->bins) return;
    if (is_large_bin(space, out->bin)) {
        const struct large_node *node = large_before(&state->large[out->region], address);
        if (node && address - node->begin < node->span) tell_large(node, out);
    } else {
        uint64_t n = slot_index(space, out->region, out->bin, address);
        if (n != UINT64_MAX) tell_slot(state, n, out);
    }
    out->inside = address - out->begin < out->size;
}

/* KD_OK, and the block, if a live one begins here. */
static enum kd_status find_live(struct kd_state *state, uint64_t address, struct kd_location *out) {
    state_find(state, address, out);
    int known = out->kind == KD_LIVE || out->kind == KD_QUARANTINED || out->kind == KD_FREE;
    if (known && address == out->begin) return out->kind == KD_LIVE ? KD_OK : KD_NOT_LIVE;
    return out->kind == KD_LIVE && out->inside ? KD_NOT_BEGIN : KD_NOT_A_BLOCK;
}

/* ---- allocating; the space is locked ---- */

static enum kd_status choose_slot(struct kd_state *state, unsigned region, unsigned index,
                                  uint64_t *n) {
    struct kd_space *space = state->space;
    struct bin *bin = state_bin(state, region, index);
    if (tree_lowest_free(&bin->tree, n)) {
        WH_INVARIANT(bin->free && *n < bin->cut);
        bin->free--;
        return KD_OK;
    }
    if (bin->cut < space->region[region].bin[index].slots) {
        *n = bin->cut++;
        return KD_OK;
    }
    /* A full bin: better a short quarantine than no memory. */
    if (!bin->held || !bin->held->count) return KD_REGION_FULL;
    if (!ring_own(&space->books, &bin->held, bin->held->capacity)) return KD_NO_MEMORY;
    *n = ring_take(bin->held);
    bin->in_quarantine--;
    return KD_OK;
}

static enum kd_status allocate_slot(struct kd_state *state, unsigned region, unsigned index,
                                    uint64_t size, uint64_t alignment, uint64_t *begin) {
    struct kd_space *space = state->space;
    struct bin *bin = state_bin(state, region, index);
    uint64_t n;
    if (!tree_reserve(&space->books, CHANGES_MOST)) return KD_NO_MEMORY;
    enum kd_status status = choose_slot(state, region, index, &n);
    if (status) return status;
    uint64_t offset = block_offset(space, index, n, size, alignment);
    struct tree_entry *entry = tree_own(&space->books, &bin->tree, n);
    int was_free = entry->kind == KD_FREE;
    WH_INVARIANT(entry->kind != KD_LIVE);
    *entry = (struct tree_entry){.size = size, .place = offset / 16, .kind = KD_LIVE};
    if (was_free) tree_mark_free(&bin->tree, n, 0);
    *begin = slot_address(space, region, index, n) + offset;
    return KD_OK;
}

/* The oldest freed blocks, one after the other, make room. */
static uint64_t place_large(struct kd_state *state, unsigned region, uint64_t span, uint64_t zone,
                            uint64_t alignment) {
    struct large *large = &state->large[region];
    struct bin *bin = state_bin(state, region, state->space->bins - 1);
    struct books *books = &state->space->books;
    for (;;) {
        uint64_t begin = large_place(large, span, zone, alignment);
        if (begin || !bin->held || !bin->held->count) return begin;
        if (!ring_own(books, &bin->held, bin->held->capacity)) return 0;
        if (!large_reserve(books, CHANGES_MOST)) return 0;
        large_remove(books, large, ring_take(bin->held));
        bin->in_quarantine--;
    }
}

static enum kd_status allocate_large(struct kd_state *state, unsigned region, uint64_t size,
                                     uint64_t alignment, uint64_t *begin) {
    struct kd_space *space = state->space;
    if (size > space->region[region].size) return KD_TOO_LARGE;
    uint64_t span = wh_round_up(size ? size : 1, OS_PAGE);
    uint64_t zone = wh_round_up(space->config.red_zone ? space->config.red_zone : 1, OS_PAGE);
    if (alignment < OS_PAGE) alignment = OS_PAGE;
    if (!large_reserve(&space->books, CHANGES_MOST)) return KD_NO_MEMORY;
    *begin = place_large(state, region, span, zone, alignment);
    if (!*begin) return KD_REGION_FULL;
    if (!large_reserve(&space->books, CHANGES_MOST)) return KD_NO_MEMORY;
    struct bin *bin = state_bin(state, region, space->bins - 1);
    struct large_node block = {
        .kind = KD_LIVE, .begin = *begin, .span = span, .size = size, .serial = bin->cut++};
    large_insert(&space->books, &state->large[region], &block);
    return KD_OK;
}

static enum kd_status allocate(struct kd_state *state, unsigned region, uint64_t size,
                               uint64_t alignment, uint64_t *begin) {
    const struct kd_space *space = state->space;
    if (region >= KD_REGIONS || !space->region[region].size) return KD_NO_REGION;
    if (!alignment || alignment & (alignment - 1)) return KD_BAD_ALIGNMENT;
    if (alignment > space->region[region].size) return KD_TOO_LARGE;
    unsigned bin = bin_for(space, region, size, alignment);
    if (bin == space->bins) return KD_TOO_LARGE;
    enum kd_status status = is_large_bin(space, bin)
                                ? allocate_large(state, region, size, alignment, begin)
                                : allocate_slot(state, region, bin, size, alignment, begin);
    if (status) return status;
    struct bin *books = state_bin(state, region, bin);
    books->live++;
    books->live_bytes += size;
    WH_INVARIANT(books->live + books->in_quarantine + books->free <= books->cut);
    return KD_OK;
}

/* ---- freeing; the space is locked ---- */

static int is_finite(const struct region *region) { return region->quarantine > 0; }

/* After KD_OK a release_block of the block cannot fail. */
static enum kd_status prepare_release(struct kd_state *state, const struct kd_location *at) {
    struct kd_space *space = state->space;
    const struct region *region = &space->region[at->region];
    struct bin *bin = state_bin(state, at->region, at->bin);
    int ready = is_large_bin(space, at->bin) ? large_reserve(&space->books, CHANGES_MOST)
                                             : tree_reserve(&space->books, CHANGES_MOST);
    if (ready && is_finite(region))
        ready = ring_own(&space->books, &bin->held, (uint32_t)region->quarantine);
    return ready ? KD_OK : KD_NO_MEMORY;
}

/* Puts what was freed under quarantine; 1 and what may be used again, if that is anything. */
static int rotate(const struct region *region, struct bin *bin, uint64_t freed, uint64_t *out) {
    *out = freed;
    if (region->quarantine == 0) return 1;
    bin->in_quarantine++;
    if (!is_finite(region)) return 0;
    int full = bin->held->count == bin->held->capacity;
    if (full) {
        *out = ring_take(bin->held);
        bin->in_quarantine--;
    }
    ring_put(bin->held, freed);
    return full;
}

static void release_slot(struct kd_state *state, const struct kd_location *at) {
    struct books *books = &state->space->books;
    const struct region *region = &state->space->region[at->region];
    struct bin *bin = state_bin(state, at->region, at->bin);
    uint64_t out;
    tree_own(books, &bin->tree, at->index)->kind = KD_QUARANTINED;
    if (region->quarantine == KD_QUARANTINE_UNLIMITED) tree_bury(books, &bin->tree, at->index);
    if (!rotate(region, bin, at->index, &out)) return;
    tree_own(books, &bin->tree, out)->kind = KD_FREE;
    tree_mark_free(&bin->tree, out, 1);
    bin->free++;
}

static void release_large(struct kd_state *state, const struct kd_location *at) {
    struct books *books = &state->space->books;
    struct large *large = &state->large[at->region];
    struct bin *bin = state_bin(state, at->region, at->bin);
    uint64_t out;
    large_own(books, large, at->begin)->kind = KD_QUARANTINED;
    if (rotate(&state->space->region[at->region], bin, at->begin, &out))
        large_remove(books, large, out);
}

static void release_block(struct kd_state *state, const struct kd_location *at) {
    struct bin *bin = state_bin(state, at->region, at->bin);
    WH_INVARIANT(bin->live && bin->live_bytes >= at->size);
    bin->live--;
    bin->live_bytes -= at->size;
    if (is_large_bin(state->space, at->bin))
        release_large(state, at);
    else
        release_slot(state, at);
}

/* ---- the calls ---- */

enum kd_status kd_allocate(struct kd_state *state, enum kd_region region, uint64_t size,
                           uint64_t alignment, uint64_t *begin) {
    os_lock(&state->space->lock);
    return locked(state->space, allocate(state, region, size, alignment, begin));
}

enum kd_status kd_free(struct kd_state *state, uint64_t address) {
    struct kd_location at;
    os_lock(&state->space->lock);
    enum kd_status status = find_live(state, address, &at);
    if (!status) status = prepare_release(state, &at);
    if (!status) release_block(state, &at);
    return locked(state->space, status);
}

static enum kd_status move(struct kd_state *state, uint64_t address, uint64_t size,
                           uint64_t alignment, uint64_t *begin) {
    struct kd_location at;
    enum kd_status status = find_live(state, address, &at);
    if (!status) status = prepare_release(state, &at);
    if (!status) status = allocate(state, at.region, size, alignment, begin);
    if (!status) release_block(state, &at);
    return status;
}

enum kd_status kd_reallocate(struct kd_state *state, uint64_t address, uint64_t count,
                             uint64_t size, uint64_t alignment, uint64_t *begin) {
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return KD_TOO_LARGE;
    os_lock(&state->space->lock);
    return locked(state->space, move(state, address, bytes, alignment, begin));
}

uint64_t kd_size(struct kd_state *state, uint64_t address) {
    struct kd_location at;
    os_lock(&state->space->lock);
    enum kd_status status = find_live(state, address, &at);
    locked(state->space, status);
    return status ? 0 : at.size;
}

enum kd_status kd_set_tag(struct kd_state *state, uint64_t address, uint64_t tag) {
    struct kd_space *space = state->space;
    struct kd_location at;
    os_lock(&space->lock);
    enum kd_status status = find_live(state, address, &at);
    if (!status) status = prepare_release(state, &at);
    if (!status && is_large_bin(space, at.bin))
        large_own(&space->books, &state->large[at.region], at.begin)->tag = tag;
    else if (!status)
        tree_own(&space->books, &state_bin(state, at.region, at.bin)->tree, at.index)->tag = tag;
    return locked(space, status);
}

void kd_locate(struct kd_state *state, uint64_t address, struct kd_location *out) {
    os_lock(&state->space->lock);
    state_find(state, address, out);
    os_unlock(&state->space->lock);
}

void kd_bin_statistics(struct kd_state *state, enum kd_region region, unsigned bin,
                       struct kd_bin_statistics *out) {
    struct kd_space *space = state->space;
    const struct region *of = &space->region[region];
    const struct bin *books = state_bin(state, region, bin);
    os_lock(&space->lock);
    *out = (struct kd_bin_statistics){
        .slot = of->bin[bin].slot,
        .begin = of->begin + of->bin[bin].begin,
        .size = of->bin[bin].size,
        .cut = books->cut,
        .live = books->live,
        .held = books->in_quarantine,
        .free = books->free,
        .live_bytes = books->live_bytes,
    };
    os_unlock(&space->lock);
}
