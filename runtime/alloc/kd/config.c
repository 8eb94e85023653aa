/* Configurations, and the geometry that follows from them. */
#include "../../blocks/compact.h"
#include "placement.h"
#include "space.h"

#define GIB (1ull << 30)

void kd_defaults(enum kd_layout layout, struct kd_config *out) {
    static const uint64_t sizes[] = {1, 4, 8, 16, 32, 64, 256, 2048};
    static const uint64_t gib[] = {
        [KD_CONSTANTS] = 10, [KD_GLOBALS] = 10, [KD_HEAP] = 1024, [KD_STACK] = 128};
    *out = (struct kd_config){
        .layout = layout,
        .access = KD_RESERVED,
        .red_zone = WH_RED_ZONE,
        .release_pages = RELEASE_PAGES,
        .release_factor = RELEASE_FACTOR,
    };
    for (unsigned i = 0; i < KD_REGIONS; i++) out->regions[i].quarantine = 8;
    if (layout == KD_COMPACT) {
        out->regions[KD_HEAP].begin = WH_HEAP_BASE;
        out->regions[KD_HEAP].size = WH_HEAP_SIZE;
        return;
    }
    for (unsigned i = 0; i < KD_REGIONS; i++) out->regions[i].size = gib[i] * GIB;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        out->bin_sizes[out->bins++] = sizes[i];
}

static unsigned log2_down(uint64_t value) { return 63 - (unsigned)__builtin_clzll(value); }

static unsigned log2_up(uint64_t value) { return value <= 1 ? 0 : log2_down(value - 1) + 1; }

/* ---- the spread layout ---- */

static const char *spread_region(const struct kd_config *config, struct region *region) {
    uint64_t begin = 0, each = region->size / (config->bins + 1);
    for (unsigned i = 0; i < config->bins; i++) {
        struct bin_geometry *bin = &region->bin[i];
        bin->slot = config->bin_sizes[i];
        bin->pitch = log2_up(bin->slot + config->red_zone);
        bin->bits = each ? log2_down(each) : 0;
        if (bin->bits <= bin->pitch)
            return "a region is too small for its bins: each needs room for a slot and its red "
                   "zone";
        bin->begin = begin;
        bin->size = 1ull << bin->bits;
        bin->slots = (1ull << (bin->bits - bin->pitch)) - 1;
        begin += bin->size;
    }
    struct bin_geometry *large = &region->bin[config->bins];
    *large = (struct bin_geometry){.begin = wh_round_up(begin, OS_PAGE)};
    large->size = region->size - large->begin;
    return NULL;
}

static const char *check_bins(const struct kd_config *config) {
    if (config->bins > KD_BINS_MOST) return "there are too many bins";
    for (unsigned i = 0; i < config->bins; i++)
        if (!config->bin_sizes[i] || config->bin_sizes[i] > 1ull << 40 ||
            (i && config->bin_sizes[i] <= config->bin_sizes[i - 1]))
            return "bin sizes must ascend and be 1 to 2**40 bytes";
    return NULL;
}

/* ---- the compact layout ---- */

/* As in the address map of checked processes: one of 64 equal parts for each shift. */
static const char *compact_region(struct region *region) {
    unsigned bits = log2_down(region->size) - log2_down(WH_REGION_COUNT);
    if ((region->size & (region->size - 1)) || bits <= WH_MIN_SLOT_SHIFT)
        return "the size of a compact region must be a power of two, of at least 4096 bytes";
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift <= WH_MAX_SLOT_SHIFT; shift++) {
        struct bin_geometry *bin = &region->bin[shift - WH_MIN_SLOT_SHIFT];
        uint64_t slots = shift < bits ? (1ull << (bits - shift)) - 1 : 0;
        *bin = (struct bin_geometry){
            .begin = (uint64_t)shift << bits,
            .slot = (1ull << shift) - WH_RED_ZONE,
            .size = 1ull << bits,
            .slots = slots < UINT32_MAX ? slots : UINT32_MAX - 1,
            .bits = bits,
            .pitch = shift,
        };
    }
    return NULL;
}

/* ---- both ---- */

static const char *check_region(const struct kd_config *config, const struct region *region) {
    if (region->size % OS_PAGE || region->begin % OS_PAGE)
        return "begins and sizes of regions must be multiples of 4096 bytes";
    if (region->quarantine < -1 || region->quarantine > 1 << 20)
        return "a quarantine is -1, or 0 to 1048576 blocks";
    if (config->access == KD_UNMAPPED && !region->begin)
        return "a region that is not mapped needs a given begin";
    if (region->begin && region->begin + region->size > 1ull << WH_ADDRESS_BITS)
        return "a region ends beyond the addresses of a process";
    return NULL;
}

static const char *check(const struct kd_config *config) {
    if (config->layout > KD_COMPACT || config->access > KD_READ_WRITE)
        return "unknown layout or kind of access";
    if (config->layout == KD_COMPACT && (config->red_zone != WH_RED_ZONE || config->bins))
        return "red zone and bins of the compact layout are fixed";
    if (config->red_zone > 1ull << 40) return "the red zone is more than 2**40 bytes";
    return check_bins(config);
}

const char *geometry_init(struct kd_space *space) {
    const struct kd_config *config = &space->config;
    const char *why = check(config);
    uint64_t total = 0;
    int compact = config->layout == KD_COMPACT;
    space->bins = compact ? WH_MAX_SLOT_SHIFT - WH_MIN_SLOT_SHIFT + 1 : config->bins + 1;
    for (unsigned i = 0; i < KD_REGIONS && !why; i++) {
        struct region *region = &space->region[i];
        region->begin = config->regions[i].begin;
        region->size = config->regions[i].size;
        region->quarantine = config->regions[i].quarantine;
        if (!region->size) continue;
        if (region->size > KD_SIZE_MOST || (total += region->size) > KD_SIZE_MOST)
            return "the regions have more than 80 TiB together";
        why = check_region(config, region);
        if (!why) why = compact ? compact_region(region) : spread_region(config, region);
    }
    return why;
}

uint64_t slot_address(const struct kd_space *space, unsigned region, unsigned bin, uint64_t n) {
    const struct bin_geometry *geometry = &space->region[region].bin[bin];
    uint64_t begin = space->region[region].begin + geometry->begin;
    if (space->config.layout == KD_COMPACT) return begin + ((n + 1) << geometry->pitch);
    return begin + placement_offset(geometry->bits, n);
}

uint64_t slot_index(const struct kd_space *space, unsigned region, unsigned bin, uint64_t address) {
    const struct bin_geometry *geometry = &space->region[region].bin[bin];
    uint64_t offset = address - space->region[region].begin - geometry->begin;
    uint64_t cell = offset >> geometry->pitch;
    if (!cell) return UINT64_MAX;
    uint64_t n = cell - 1;
    if (space->config.layout == KD_SPREAD)
        n = placement_index(geometry->bits, cell << geometry->pitch);
    return n < geometry->slots ? n : UINT64_MAX;
}

/* Largest power of two that divides every slot's address. */
static uint64_t slot_alignment(const struct region *region, const struct bin_geometry *bin) {
    uint64_t bits = (region->begin + bin->begin) | 1ull << bin->pitch;
    return bits & -bits;
}

unsigned bin_for(const struct kd_space *space, unsigned index, uint64_t size, uint64_t alignment) {
    const struct region *region = &space->region[index];
    if (space->config.layout == KD_COMPACT) {
        unsigned shift = compact_shift(size, alignment);
        unsigned bin = shift - WH_MIN_SLOT_SHIFT;
        int fits = shift && region->bin[bin].slots &&
                   alignment <= slot_alignment(region, &region->bin[bin]);
        return fits ? bin : space->bins;
    }
    unsigned bin = 0;
    while (bin + 1 < space->bins &&
           (region->bin[bin].slot < size || slot_alignment(region, &region->bin[bin]) < alignment))
        bin++;
    return bin;
}

uint64_t block_offset(const struct kd_space *space, unsigned bin, uint64_t n, uint64_t size,
                      uint64_t alignment) {
    if (space->config.layout == KD_SPREAD) return 0;
    return compact_offset(bin + WH_MIN_SLOT_SHIFT, n + 1, size, alignment < 16 ? 16 : alignment);
}
