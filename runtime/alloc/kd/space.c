/* Spaces: opening and closing, and what there is to say about them. */
#include "../../os/text.h"
#include "space.h"

static const char *const region_names[] = {"constants", "globals", "heap", "stack"};

/* ---- address ranges ---- */

static enum os_access access_of(const struct kd_space *space) {
    return space->config.access == KD_READ_WRITE ? OS_READ_WRITE : OS_NONE;
}

static void put_region(struct text *text, const struct region *region, unsigned index) {
    static const char *const units[] = {" B", " KiB", " MiB", " GiB"};
    uint64_t size = region->size;
    unsigned unit = 0;
    while (unit < 3 && size % 1024 == 0) {
        size /= 1024;
        unit++;
    }
    text_put(text, region_names[index]);
    text_put(text, " (");
    if (region->begin) {
        text_put(text, "start-address=");
        text_hex(text, region->begin);
        text_put(text, " ");
    }
    text_put(text, "size=");
    text_decimal(text, size);
    text_put(text, units[unit]);
    text_put(text, ")");
}

static int overlap(const struct kd_space *space, unsigned i) {
    const struct region *a = &space->region[i];
    for (unsigned j = 0; j < i; j++) {
        const struct region *b = &space->region[j];
        if (b->size && a->begin < b->begin + b->size && b->begin < a->begin + a->size) return 1;
    }
    return 0;
}

static int take_region(struct kd_space *space, unsigned i, struct text *why) {
    struct region *region = &space->region[i];
    long result = 0;
    if (region->begin && overlap(space, i))
        result = -1;
    else if (space->config.access == KD_UNMAPPED)
        return 1;
    else if (region->begin)
        result = os_reserve(region->begin, region->size, access_of(space));
    else
        result = os_reserve_anywhere(&region->begin, region->size, access_of(space));
    region->reserved = result == 0;
    if (!result) return 1;
    text_put(why, "no room in the address space for the region ");
    put_region(why, region, i);
    text_put(why, "; give it another begin or a smaller size");
    return 0;
}

/* Regions with given begins first, so that the system does not choose these places. */
static int take_regions(struct kd_space *space, struct text *why) {
    for (int given = 1; given >= 0; given--)
        for (unsigned i = 0; i < KD_REGIONS; i++) {
            const struct region *region = &space->region[i];
            int is_given = space->config.regions[i].begin != 0;
            if (region->size && is_given == given && !take_region(space, i, why)) return 0;
        }
    return 1;
}

/* ---- opening and closing ---- */

static struct kd_space *refuse(struct kd_space *space, struct text *why) {
    if (space) kd_close(space);
    why->begin[why->length] = 0;
    return NULL;
}

struct kd_space *kd_open(const struct kd_config *config, char *why, size_t why_size) {
    static char nowhere;
    struct text text = {why_size ? why : &nowhere, why_size ? why_size - 1 : 0, 0};
    struct kd_space *space = (struct kd_space *)os_map(wh_round_up(sizeof *space, OS_PAGE));
    if (!space) {
        text_put(&text, "no memory for the books of the allocator");
        return refuse(NULL, &text);
    }
    space->config = *config;
    space->release.pages = config->release_pages;
    space->release.factor = config->release_factor;
    const char *problem = geometry_init(space);
    if (problem) text_put(&text, problem);
    if (problem || !take_regions(space, &text)) return refuse(space, &text);
    for (unsigned i = 0; i < KD_REGIONS; i++)
        space->config.regions[i].begin = space->region[i].begin;
    return space;
}

void kd_close(struct kd_space *space) {
    for (unsigned i = 0; i < KD_REGIONS; i++)
        if (space->region[i].reserved) os_unmap(space->region[i].begin, space->region[i].size);
    books_close(&space->books);
    os_unmap((uintptr_t)space, wh_round_up(sizeof *space, OS_PAGE));
}

/* ---- saying ---- */

uint64_t kd_layout_of_structures(void) {
    return (uint64_t)sizeof(struct kd_config) << 48 | (uint64_t)sizeof(struct kd_location) << 32 |
           (uint64_t)sizeof(struct kd_bin_statistics) << 16 | sizeof(struct kd_statistics);
}

void kd_configuration(const struct kd_space *space, struct kd_config *out) { *out = space->config; }

size_t kd_describe(const struct kd_space *space, enum kd_region region, char *out, size_t size) {
    TEXT(text, 160);
    put_region(&text, &space->region[region], region);
    size_t used = text.length < size ? text.length : size ? size - 1 : 0;
    wh_copy(out, text.begin, used);
    if (size) out[used] = 0;
    return text.length;
}

void kd_space_statistics(struct kd_space *space, struct kd_statistics *out) {
    os_lock(&space->lock);
    *out = (struct kd_statistics){
        .book_bytes = space->books.mapped,
        .states = space->states,
        .releases = space->release.releases,
        .average_pages = release_average(&space->release),
        .backed_pages = space->release.backed,
    };
    os_unlock(&space->lock);
}

const char *kd_sentence(enum kd_status status) {
    static const char *const sentences[] = {
        [KD_OK] = "done",
        [KD_BAD_CONFIG] = "the configuration is not valid",
        [KD_NO_REGION] = "there is no such region",
        [KD_BAD_ALIGNMENT] = "the alignment is not a power of two",
        [KD_TOO_LARGE] = "no block of this size and alignment fits the layout",
        [KD_REGION_FULL] = "the region has no slot or gap left for it",
        [KD_NO_MEMORY] = "the system has no memory for the books of the allocator",
        [KD_NOT_A_BLOCK] = "no block begins at this address",
        [KD_NOT_BEGIN] = "the address is inside a block, not its begin",
        [KD_NOT_LIVE] = "the block at this address has been freed already",
    };
    return status < sizeof sentences / sizeof *sentences ? sentences[status] : "unknown status";
}

unsigned space_region(const struct kd_space *space, uint64_t address) {
    for (unsigned i = 0; i < KD_REGIONS; i++)
        if (address - space->region[i].begin < space->region[i].size) return i;
    return KD_REGIONS;
}

unsigned space_bin(const struct kd_space *space, const struct region *region, uint64_t address) {
    uint64_t offset = address - region->begin;
    for (unsigned i = 0; i < space->bins; i++)
        if (offset - region->bin[i].begin < region->bin[i].size) return i;
    return space->bins;
}

void kd_lock(struct kd_space *space) { os_lock(&space->lock); }

void kd_unlock(struct kd_space *space) { os_unlock(&space->lock); }

unsigned kd_bins(const struct kd_space *space) { return space->bins; }

/* ---- physical pages ---- */

void kd_use_begins(struct kd_space *space) {
    os_lock(&space->lock);
    space->release.faults = os_faults();
    os_unlock(&space->lock);
}

int kd_use_ends(struct kd_space *space, uint64_t pages) {
    os_lock(&space->lock);
    struct release *release = &space->release;
    release->backed += os_faults() - release->faults;
    int due = release_due(release, pages, release->backed);
    if (due) {
        for (unsigned i = 0; i < KD_REGIONS; i++)
            if (space->region[i].reserved)
                os_discard(space->region[i].begin, space->region[i].size);
        release->backed = 0;
        release->releases++;
    }
    os_unlock(&space->lock);
    return due;
}
