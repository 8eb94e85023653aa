#include "block.h"
#include "provider.h"

/* ---- providers ---- */

uint32_t blocks_providers;
static const struct block_provider *providers[BLOCK_PROVIDERS_MOST];

int blocks_provide(const struct block_provider *provider) {
    if (provider->begin >= provider->end || blocks_providers == BLOCK_PROVIDERS_MOST) return 0;
    if (!provider->holds && heap_overlaps(provider->begin, provider->end)) return 0;
    for (uint32_t i = 0; i < blocks_providers && !provider->holds; i++)
        if (!providers[i]->holds && provider->begin < providers[i]->end &&
            provider->end > providers[i]->begin)
            return 0;
    providers[blocks_providers] = provider;
    __atomic_store_n(&blocks_providers, blocks_providers + 1, __ATOMIC_RELEASE);
    return 1;
}

static int is_in_range(const struct block_provider *provider, uintptr_t address) {
    return address >= provider->begin && address < provider->end;
}

static unsigned find_region(uintptr_t address, enum rooms rooms) {
    for (uint32_t i = 0; i < blocks_providers; i++)
        if (providers[i]->rooms == rooms && is_in_range(providers[i], address) &&
            (!providers[i]->holds || providers[i]->holds(address)))
            return BLOCK_PROVIDED + i;
    return 0;
}

/* The region of the provider whose range contains the address; 0: none. */
static unsigned region_of(uintptr_t address) { return find_region(address, ROOMS_APART); }

static const struct block_provider *provider_of(unsigned region) {
    return providers[region - BLOCK_PROVIDED];
}

static struct block_facts facts_of(struct block block) {
    struct block_facts facts = {.row = {.kind = provider_of(block.region)->kind}};
    provider_of(block.region)->read(block.slot, &facts);
    return facts;
}

WH_COLD uint64_t block_fact(struct block block, size_t offset) {
    struct block_facts facts = facts_of(block);
    uint64_t fact;
    wh_copy(&fact, (const char *)&facts + offset, sizeof fact);
    return fact;
}

/* ---- finding blocks ---- */

WH_COLD struct block block_provided_around(uintptr_t address) {
    unsigned region = region_of(address);
    if (!region) return block_none();
    return (struct block){provider_of(region)->around(address), region};
}

struct block block_inner(uintptr_t address) {
    unsigned region = find_region(address, ROOMS_INNER);
    if (!region) return block_none();
    return (struct block){provider_of(region)->around(address), region};
}

/* ---- blocks that the program hands out itself ---- */

struct whence_bounds blocks_handed_out;

WH_COLD struct block block_handed_out_around(uintptr_t address) {
    unsigned region = find_region(address, ROOMS_HANDED_OUT);
    if (!region) return block_none();
    return (struct block){provider_of(region)->around(address), region};
}

struct block block_handed_out_from(uintptr_t address) {
    for (uint32_t i = 0; i < blocks_providers && blocks_handed_out.size; i++)
        if (providers[i]->rooms == ROOMS_HANDED_OUT)
            return (struct block){providers[i]->nearest(address), BLOCK_PROVIDED + i};
    return block_none();
}

void blocks_search(int begins) {
    for (uint32_t i = 0; i < blocks_providers; i++)
        if (providers[i]->rooms == ROOMS_HANDED_OUT) providers[i]->search(begins);
}

static int was_used(struct block block) {
    return block_in_heap(block) ? block_used(block_record(block.region, block.slot))
                                : block_id(block) != 0;
}

struct block block_at(uintptr_t address) {
    struct block block = block_around(address);
    if (!block_exists(block) || !was_used(block) || claimed(address)) return block_none();
    return address - block_begin(block) < block_size(block) ? block : block_none();
}

struct block block_nearest(uintptr_t address) {
    unsigned region = region_of(address);
    if (claimed(address)) return block_none();
    if (WH_LIKELY(!region)) return heap_nearest(address);
    return (struct block){provider_of(region)->nearest(address), region};
}

static uint64_t numbers_of(unsigned region) {
    const struct block_provider *provider = provider_of(region);
    return provider->count ? provider->count() : 0;
}

static struct block next_provided(struct block block, uint64_t state) {
    if (block.region - BLOCK_PROVIDED >= blocks_providers) return block_none();
    uint64_t count = numbers_of(block.region);
    while (++block.slot < count)
        if (was_used(block) && (!state || block_state(block) == state)) return block;
    return block_none();
}

/* The cursor is the block_word of the last block, with the region counted in the order of the walk.
 */
static struct block walk(uint64_t *cursor, uint64_t state, int down) {
    struct block from = block_of_word(*cursor);
    for (unsigned step = from.region; step < BLOCK_REGIONS; step++, from.slot = 0) {
        from.region = down ? BLOCK_REGIONS - 1 - step : step;
        struct block block =
            block_in_heap(from) ? heap_next(from, state) : next_provided(from, state);
        if (!block_exists(block)) continue;
        *cursor = block_word((struct block){block.slot, step});
        return block;
    }
    *cursor = (uint64_t)BLOCK_REGIONS << BLOCK_SLOT_BITS;
    return block_none();
}

struct block block_next(uint64_t *cursor, uint64_t state) { return walk(cursor, state, 0); }

struct block block_next_larger(uint64_t *cursor, uint64_t state) { return walk(cursor, state, 1); }

struct block block_find(uint64_t id) {
    uint64_t cursor = 0;
    for (;;) {
        struct block block = block_next(&cursor, 0);
        if (!block_exists(block) || block_id(block) == id) return block;
    }
}

/* ---- facts about a block ---- */

void block_read(struct block block, struct whence_block *out) {
    *out = (struct whence_block){0};
    if (!block_exists(block) || !was_used(block)) return;
    if (!block_in_heap(block)) {
        *out = facts_of(block).row;
        return;
    }
    out->begin = block_begin(block);
    out->size = block_size(block);
    out->state = block_state(block);
    /* Only a pointer to the begin frees a block. */
    out->free_ptr = out->state == WH_BLOCK_FREED ? out->begin : 0;
    out->family = block_family(block);
    out->align = block_align(block);
    out->kind = block_kind(block);
    out->id = block_id(block);
    out->free_time = block_free_time(block);
    out->thread = block_thread(block);
}

void block_read_accessible(struct block block, struct whence_block *out) {
    block_read(block, out);
    uint64_t cookie = block_exists(block) ? block_cookie(block) : 0;
    out->begin += cookie;
    out->size -= cookie;
}

void block_set_cookie(struct block block, uint64_t size) {
    uintptr_t begin = block_begin(block);
    plane_set(begin, block_cookie(block), WH_STATE_ADDRESSABLE);
    plane_set(begin, size, WH_STATE_COOKIE);
    life_set_cookie(block_record(block.region, block.slot), size != 0);
}

/* ---- memory that consists of blocks ---- */

WH_COLD int blocks_provided(uintptr_t address) { return region_of(address) != 0; }

uint64_t blocks_kind(uintptr_t address) {
    if (heap_contains(address)) return claimed(address) ? WH_KIND_ELSEWHERE : WH_KIND_HEAP;
    unsigned region = region_of(address);
    return region ? provider_of(region)->kind : WH_KIND_ELSEWHERE;
}

WH_COLD int blocks_provided_apart(uintptr_t a, uintptr_t b) {
    return heap_contains(b) || !block_same(block_around(a), block_around(b));
}

/* The range around an address outside the heap and all providers' ranges. */
static struct whence_bounds gap_at(uintptr_t address) {
    struct whence_bounds gap = blocks_between(address);
    for (uint32_t i = 0; gap.size && i < blocks_providers; i++)
        if (!providers[i]->holds)
            gap = blocks_clip(gap, address, providers[i]->begin, providers[i]->end);
    return gap;
}

WH_COLD struct whence_bounds blocks_provided_range(uintptr_t address) {
    struct block block = block_at(address);
    if (!block_is_live(block)) return (struct whence_bounds){0, 0};
    return (struct whence_bounds){block_begin(block), block_size(block)};
}

/* Bytes below and above an address outside the heap that are looked at for zones. */
#define EXTENT_BELOW (2ull << 10)
#define EXTENT_ABOVE (8ull << 10)

struct whence_bounds blocks_zoned_extent(uintptr_t address) {
    struct whence_bounds side = blocks_between(address);
    uintptr_t begin = side.begin, end = side.begin + side.size;
    if (begin == end) return side;
    if (address - begin > EXTENT_BELOW) begin = address - EXTENT_BELOW;
    if (end - address > EXTENT_ABOVE) end = address + EXTENT_ABOVE;
    return PORT_PLANES ? plane_run(address, (struct whence_bounds){begin, end - begin}) : side;
}

/* What else is in the range of a provider that has only rooms there ends where the range does. */
uintptr_t blocks_reach(uintptr_t address) {
    for (uint32_t i = 0; i < blocks_providers; i++)
        if (!providers[i]->holds && is_in_range(providers[i], address)) return providers[i]->end;
    if (claimed(address)) return claims_end(address);
    struct whence_bounds range =
        heap_contains(address) ? heap_live_range(address) : gap_at(address);
    return range.size ? range.begin + range.size : address;
}

int blocks_live(uintptr_t address, uint64_t size) {
    uintptr_t end = blocks_live_end(address);
    return end && size <= end - address;
}

/* ---- tables of blocks ---- */

uint64_t blocks_numbers_first[BLOCK_REGIONS], blocks_numbers[BLOCK_REGIONS];

static uint64_t slots_of(unsigned region) {
    if (region < BLOCK_SHIFTS) return blocks_cut[region];
    return region - BLOCK_PROVIDED < blocks_providers ? numbers_of(region) : 0;
}

uint64_t blocks_number_all(void) {
    uint64_t total = 0;
    for (unsigned region = 0; region < BLOCK_REGIONS; region++) {
        blocks_numbers_first[region] = total;
        blocks_numbers[region] = slots_of(region);
        total += blocks_numbers[region];
    }
    return total;
}
