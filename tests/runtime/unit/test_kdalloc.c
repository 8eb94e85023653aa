/* modules: alloc/kd/books alloc/kd/config alloc/kd/large alloc/kd/nearest alloc/kd/ring alloc/kd/space
   alloc/kd/state alloc/kd/tree os/os os/text */
#include "../../../runtime/alloc/kdalloc.h"
#include "../../../runtime/alloc/kd/placement.h"
#include "../../../runtime/alloc/kd/release.h"
#include "whence_abi.h"
#include "unit.h"

#define KIB (1ull << 10)
#define GIB (1ull << 30)
#define BASE 0x640000000000ull

/* ---- helpers ---- */

static struct kd_space *open_space(const struct kd_config *config) {
    char why[256];
    struct kd_space *space = kd_open(config, why, sizeof why);
    if (!space) fprintf(stderr, "%s\n", why);
    CHECK(space != NULL);
    return space;
}

/* The paper's sizes, as addresses alone. */
static struct kd_config paper(int quarantine) {
    static const uint64_t begins[] = {0x610000000000, 0x620000000000, BASE, 0x630000000000};
    struct kd_config config;
    kd_defaults(KD_SPREAD, &config);
    config.access = KD_UNMAPPED;
    for (unsigned i = 0; i < KD_REGIONS; i++) {
        config.regions[i].begin = begins[i];
        config.regions[i].quarantine = quarantine;
    }
    return config;
}

/* Small regions, so that they can be filled. */
static struct kd_config small(int quarantine) {
    struct kd_config config = paper(quarantine);
    config.bins = 2;
    config.bin_sizes[0] = 8;
    config.bin_sizes[1] = 100;
    for (unsigned i = 0; i < KD_REGIONS; i++) config.regions[i].size = i == KD_HEAP ? 48 * KIB : 0;
    return config;
}

static uint64_t take(struct kd_state *state, uint64_t size, uint64_t alignment) {
    uint64_t begin = 0;
    CHECK_EQUAL(kd_allocate(state, KD_HEAP, size, alignment, &begin), KD_OK);
    return begin;
}

static void give(struct kd_state *state, uint64_t begin) {
    CHECK_EQUAL(kd_free(state, begin), KD_OK);
}

static unsigned kind_of(struct kd_state *state, uint64_t address) {
    struct kd_location at;
    kd_locate(state, address, &at);
    return at.kind;
}

/* ---- placement ---- */

static void slots_lie_as_printed_in_the_paper(void) {
    /* Section 4: the addresses of the run with an unlimited quarantine, in units of 2**32. */
    static const int printed[] = {0x5d, 0x59, 0x61, 0x57, 0x63, 0x5b, 0x5f, 0x56, 0x64, 0x58};
    for (unsigned n = 0; n < sizeof printed / sizeof *printed; n++) {
        int64_t from_first =
            (int64_t)(placement_offset(36, n) - placement_offset(36, 0)) / (1ll << 32);
        CHECK_EQUAL(from_first, printed[n] - printed[0]);
    }
}

static void placement_and_its_inverse_agree(void) {
    for (unsigned bits = 1; bits < 12; bits++)
        for (uint64_t n = 0; n < (1ull << bits) - 1; n++) {
            uint64_t offset = placement_offset(bits, n);
            CHECK(offset > 0 && offset < 1ull << bits);
            CHECK_EQUAL(placement_index(bits, offset), n);
        }
    for (int i = 0; i < 100000; i++) {
        unsigned bits = 1 + (unsigned)unit_below(47);
        uint64_t n = unit_below((1ull << bits) - 1);
        CHECK_EQUAL(placement_index(bits, placement_offset(bits, n)), n);
    }
}

/* ---- the quarantine ---- */

/* Ten one-byte blocks, each freed at once; how many different addresses. */
static unsigned pairs(int quarantine, uint64_t *begin) {
    struct kd_config config = paper(quarantine);
    struct kd_space *space = open_space(&config);
    struct kd_state *state = kd_new(space);
    unsigned different = 0;
    for (unsigned i = 0; i < 10; i++) {
        begin[i] = take(state, 1, 1);
        give(state, begin[i]);
        unsigned seen = 0;
        for (unsigned j = 0; j < i; j++) seen |= begin[j] == begin[i];
        different += !seen;
    }
    kd_close(space);
    return different;
}

static void pairs_of_malloc_and_free_as_in_the_paper(void) {
    uint64_t begin[10];
    CHECK_EQUAL(pairs(8, begin), 9);
    CHECK_EQUAL(begin[9], begin[0]);
    CHECK_EQUAL(pairs(0, begin), 1);
    CHECK_EQUAL(pairs(KD_QUARANTINE_UNLIMITED, begin), 10);
}

static void an_unlimited_quarantine_costs_only_what_lives(void) {
    struct kd_config config = paper(KD_QUARANTINE_UNLIMITED);
    struct kd_space *space = open_space(&config);
    struct kd_state *state = kd_new(space);
    uint64_t first = take(state, 24, 1);
    for (unsigned i = 0; i < 300000; i++) give(state, take(state, 24, 1));
    struct kd_statistics said;
    kd_space_statistics(space, &said);
    CHECK(said.book_bytes < 256 * KIB);
    CHECK_EQUAL(kind_of(state, first), KD_LIVE);
    struct kd_bin_statistics bin;
    kd_bin_statistics(state, KD_HEAP, 4, &bin);
    CHECK_EQUAL(bin.cut, 300001);
    CHECK_EQUAL(bin.live, 1);
    CHECK_EQUAL(bin.held, 300000);
    struct kd_location at;
    uint64_t cursor = 0, freed = 0;
    while (kd_next(state, KD_HEAP, KD_QUARANTINED, &cursor, &at)) {
        CHECK_EQUAL(kd_free(state, at.slot), KD_NOT_LIVE);
        freed++;
    }
    CHECK_EQUAL(freed, 300000);
    kd_close(space);
}

/* ---- large blocks ---- */

static void large_blocks_halve_the_largest_gap(void) {
    struct kd_config config = paper(0);
    struct kd_space *space = open_space(&config);
    struct kd_state *state = kd_new(space);
    struct kd_bin_statistics bin;
    kd_bin_statistics(state, KD_HEAP, kd_bins(space) - 1, &bin);
    CHECK_EQUAL(bin.begin, BASE + 512 * GIB);
    CHECK_EQUAL(bin.size, 512 * GIB);
    uint64_t a = take(state, 1 << 20, 1);
    CHECK_EQUAL(a, bin.begin + (bin.size - (1 << 20)) / 2);
    /* of two equal gaps that whose begin has the larger hash, and its middle rounded up */
    uint64_t b = take(state, 4096, 1);
    CHECK_EQUAL(b, 0x64e000040000ull);
    CHECK_EQUAL(take(state, 2049, 1), 0x649ffffc0000ull);
    CHECK_EQUAL(take(state, 12288, 1), 0x64d00005f000ull);
    CHECK_EQUAL(take(state, 5000, 1), 0x648ffffdf000ull);
    give(state, b);
    CHECK_EQUAL(take(state, 1, 1ull << 30) % (1ull << 30), 0);
    CHECK_EQUAL(kd_bins(space), 9);
    kd_close(space);
}

/* ---- what does not work ---- */

static void wrong_requests_are_told_apart(void) {
    struct kd_config config = paper(8);
    struct kd_space *space = open_space(&config);
    struct kd_state *state = kd_new(space);
    uint64_t begin, other;
    CHECK_EQUAL(kd_allocate(state, KD_HEAP, 8, 3, &begin), KD_BAD_ALIGNMENT);
    CHECK_EQUAL(kd_allocate(state, KD_HEAP, 8, 0, &begin), KD_BAD_ALIGNMENT);
    CHECK_EQUAL(kd_allocate(state, KD_REGIONS, 8, 1, &begin), KD_NO_REGION);
    CHECK_EQUAL(kd_allocate(state, KD_HEAP, UINT64_MAX, 1, &begin), KD_TOO_LARGE);
    CHECK_EQUAL(kd_allocate(state, KD_HEAP, 600 * GIB, 1, &begin), KD_REGION_FULL);
    CHECK_EQUAL(kd_allocate(state, KD_HEAP, 8, 1ull << 63, &begin), KD_TOO_LARGE);
    begin = take(state, 40, 16);
    CHECK_EQUAL(kd_free(state, begin + 1), KD_NOT_BEGIN);
    CHECK_EQUAL(kd_free(state, begin + 60), KD_NOT_A_BLOCK);
    CHECK_EQUAL(kd_free(state, 12345), KD_NOT_A_BLOCK);
    CHECK_EQUAL(kd_reallocate(state, begin, 1ull << 40, 1ull << 40, 16, &other), KD_TOO_LARGE);
    CHECK_EQUAL(kd_reallocate(state, begin, 600, GIB, 16, &other), KD_REGION_FULL);
    CHECK_EQUAL(kd_size(state, begin), 40);
    CHECK_EQUAL(kd_reallocate(state, begin, 10, 10, 16, &other), KD_OK);
    CHECK_EQUAL(kd_size(state, other), 100);
    CHECK_EQUAL(kd_size(state, begin), 0);
    CHECK_EQUAL(kd_free(state, begin), KD_NOT_LIVE);
    uint64_t none = take(state, 0, 1);
    CHECK(none != take(state, 0, 1));
    CHECK_EQUAL(kd_size(state, none), 0);
    give(state, none);
    for (int i = 0; i <= KD_NOT_LIVE; i++) CHECK(kd_sentence((enum kd_status)i)[0] != 0);
    kd_close(space);
}

static void configurations_are_checked(void) {
    char why[256];
    struct kd_config config = paper(8);
    config.regions[KD_STACK].begin = BASE + 4096;
    CHECK(!kd_open(&config, why, sizeof why));
    CHECK(strstr(why, "stack (start-address=0x640000001000 size=128 GiB)"));
    config = paper(8);
    config.regions[KD_HEAP].begin = 0;
    CHECK(!kd_open(&config, why, sizeof why));
    config = paper(-2);
    CHECK(!kd_open(&config, why, sizeof why));
    config = paper(8);
    config.regions[KD_HEAP].size = 81ull << 40;
    CHECK(!kd_open(&config, why, sizeof why));
    CHECK(strstr(why, "80 TiB"));
    config.regions[KD_HEAP].size = 8 * KIB;
    CHECK(!kd_open(&config, why, sizeof why));
    config.regions[KD_HEAP].size = 1000;
    CHECK(!kd_open(&config, why, sizeof why));
    config = paper(8);
    config.bin_sizes[3] = 4;
    CHECK(!kd_open(&config, why, sizeof why));
    CHECK(!kd_open(&config, why, 5));
    CHECK_EQUAL(strlen(why), 4);
    CHECK(!kd_open(&config, NULL, 0));
    kd_defaults(KD_COMPACT, &config);
    config.regions[KD_HEAP].size = 3ull << 40;
    CHECK(!kd_open(&config, why, sizeof why));
}

static void a_full_region_is_no_crash(void) {
    struct kd_config config = small(8);
    struct kd_space *space = open_space(&config);
    struct kd_state *state = kd_new(space);
    struct kd_bin_statistics bin;
    uint64_t begin, last = 0, large = 0;
    for (unsigned i = 0; kd_allocate(state, KD_HEAP, 8, 1, &begin) == KD_OK; i++) last = begin;
    kd_bin_statistics(state, KD_HEAP, 0, &bin);
    CHECK_EQUAL(bin.cut, 16 * KIB / 32 - 1);
    CHECK_EQUAL(kd_allocate(state, KD_HEAP, 8, 1, &begin), KD_REGION_FULL);
    give(state, last); /* held, but better than nothing */
    CHECK_EQUAL(take(state, 8, 1), last);
    while (kd_allocate(state, KD_HEAP, 101, 1, &begin) == KD_OK) large = begin;
    CHECK(large);
    give(state, large);
    CHECK_EQUAL(take(state, 101, 1), large);
    kd_close(space);
}

/* ---- where an address is ---- */

static void nearest_is_what_a_search_finds(void) {
    struct kd_config config = small(3);
    struct kd_space *space = open_space(&config);
    struct kd_state *state = kd_new(space);
    for (unsigned round = 0; round < 60; round++) {
        uint64_t begin;
        uint64_t size = unit_below(8) ? unit_below(101) : 5000;
        if (kd_allocate(state, KD_HEAP, size, 1, &begin) == KD_OK && unit_below(3) == 0)
            give(state, begin);
        for (unsigned probe = 0; probe < 30; probe++) {
            uint64_t address = BASE + unit_below(48 * KIB), cursor = 0, least = UINT64_MAX;
            struct kd_location found, at;
            kd_nearest(state, address, &found);
            kd_locate(state, address, &at);
            unsigned bin = at.bin;
            while (kd_next(state, KD_HEAP, KD_UNUSED, &cursor, &at)) {
                uint64_t end = at.begin + at.size;
                uint64_t far = address < at.begin ? at.begin - address
                               : address < end    ? 0
                                                  : address - end + 1;
                if (at.bin == bin && far < least) least = far;
            }
            if (least == UINT64_MAX) {
                CHECK_EQUAL(found.kind, KD_UNUSED);
                continue;
            }
            uint64_t end = found.begin + found.size;
            CHECK_EQUAL(address < found.begin ? found.begin - address
                        : address < end       ? 0
                                              : address - end + 1,
                        least);
            CHECK_EQUAL(found.inside, least == 0);
        }
    }
    kd_close(space);
}

/* ---- states, against a model ---- */

#define SLOTS 400u
#define STATES 6u

struct model {
    struct kd_state *state;
    struct {
        uint64_t begin, size, tag;
    } live[SLOTS];
    unsigned count;
};

static void check_model(struct model *model) {
    for (unsigned i = 0; i < model->count; i++) {
        struct kd_location at;
        kd_locate(model->state, model->live[i].begin, &at);
        CHECK_EQUAL(at.kind, KD_LIVE);
        CHECK_EQUAL(at.begin, model->live[i].begin);
        CHECK_EQUAL(at.size, model->live[i].size);
        CHECK_EQUAL(at.tag, model->live[i].tag);
    }
    struct kd_location at;
    uint64_t cursor = 0, live = 0;
    while (kd_next(model->state, KD_HEAP, KD_LIVE, &cursor, &at)) live++;
    CHECK_EQUAL(live, model->count);
}

static void step(struct model *model) {
    if (model->count == SLOTS || (model->count && unit_below(5) < 2)) {
        unsigned i = (unsigned)unit_below(model->count);
        give(model->state, model->live[i].begin);
        CHECK(kind_of(model->state, model->live[i].begin) != KD_LIVE);
        model->live[i] = model->live[--model->count];
        return;
    }
    uint64_t size = unit_below(4) ? unit_below(300) : unit_below(100000);
    uint64_t alignment = 1ull << unit_below(14);
    uint64_t begin = take(model->state, size, alignment);
    CHECK_EQUAL(begin % alignment, 0);
    for (unsigned i = 0; i < model->count; i++)
        CHECK(begin + size + 16 <= model->live[i].begin ||
              model->live[i].begin + model->live[i].size + 16 <= begin);
    uint64_t tag = unit_random();
    CHECK_EQUAL(kd_set_tag(model->state, begin, tag), KD_OK);
    model->live[model->count].begin = begin;
    model->live[model->count].size = size;
    model->live[model->count++].tag = tag;
}

static void states_do_not_disturb_each_other(enum kd_layout layout, int quarantine) {
    struct kd_config config = paper(quarantine);
    if (layout == KD_COMPACT) {
        kd_defaults(KD_COMPACT, &config);
        config.access = KD_UNMAPPED;
        config.regions[KD_HEAP].quarantine = quarantine;
    }
    struct kd_space *space = open_space(&config);
    static struct model models[STATES];
    for (unsigned i = 0; i < STATES; i++) {
        models[i].state = kd_new(space);
        models[i].count = 0;
    }
    for (unsigned round = 0; round < 4000; round++) {
        struct model *model = &models[unit_below(STATES)];
        step(model);
        if (round % 64) continue;
        struct model *other = &models[unit_below(STATES)];
        if (other == model) continue;
        kd_drop(other->state);
        *other = *model;
        other->state = kd_clone(model->state);
        uint64_t a = take(model->state, 33, 1), b = take(other->state, 33, 1);
        CHECK_EQUAL(a, b);
        give(model->state, a);
        give(other->state, b);
        check_model(model);
        check_model(other);
    }
    for (unsigned i = 0; i < STATES; i++) {
        check_model(&models[i]);
        kd_drop(models[i].state);
    }
    struct kd_statistics said;
    kd_space_statistics(space, &said);
    CHECK_EQUAL(said.states, 0);
    kd_close(space);
}

/* ---- the compact layout ---- */

static void the_compact_layout_is_the_address_map(void) {
    struct kd_config config;
    kd_defaults(KD_COMPACT, &config);
    config.access = KD_UNMAPPED;
    struct kd_space *space = open_space(&config);
    struct kd_state *state = kd_new(space);
    CHECK_EQUAL(take(state, 16, 16), WH_HEAP_BASE + (5ull << WH_REGION_SHIFT) + 32);
    CHECK_EQUAL(take(state, 16, 16), WH_HEAP_BASE + (5ull << WH_REGION_SHIFT) + 64);
    CHECK_EQUAL(take(state, 17, 16), WH_HEAP_BASE + (6ull << WH_REGION_SHIFT) + 64);
    uint64_t begin;
    CHECK_EQUAL(kd_allocate(state, KD_HEAP, 1ull << 37, 16, &begin), KD_TOO_LARGE);
    CHECK_EQUAL(kd_allocate(state, KD_HEAP, 1ull << 36, 16, &begin), KD_OK);
    CHECK_EQUAL(kd_allocate(state, KD_HEAP, 1ull << 36, 16, &begin), KD_REGION_FULL);
    kd_close(space);
}

/* ---- memory ---- */

static void the_system_chooses_and_the_memory_can_be_used(void) {
    struct kd_config config;
    kd_defaults(KD_SPREAD, &config);
    config.access = KD_READ_WRITE;
    struct kd_space *space = open_space(&config);
    struct kd_config effect;
    kd_configuration(space, &effect);
    for (unsigned i = 0; i < KD_REGIONS; i++) CHECK(effect.regions[i].begin % (2 << 20) == 0);
    struct kd_state *state = kd_new(space);
    kd_use_begins(space);
    for (unsigned i = 0; i < 100; i++) *(volatile char *)take(state, 8, 8) = 1;
    CHECK_EQUAL(kd_use_ends(space, 100), 0); /* all are needed */
    uint64_t begin = take(state, 8 << 20, 1);
    kd_use_begins(space);
    for (unsigned i = 0; i < 8 << 20; i += 4096) *(volatile char *)(begin + i) = 1;
    CHECK_EQUAL(kd_use_ends(space, 10), 1);
    CHECK_EQUAL(*(volatile char *)begin, 0);
    char line[100];
    size_t length = kd_describe(space, KD_GLOBALS, line, sizeof line);
    CHECK_EQUAL(length, strlen(line));
    CHECK(strstr(line, "globals (start-address=0x") && strstr(line, " size=10 GiB)"));
    CHECK_EQUAL(kd_describe(space, KD_GLOBALS, line, 4), length);
    CHECK(strcmp(line, "glo") == 0);
    kd_close(space);
}

static void pages_are_released_by_number_and_average(void) {
    struct release release = {.pages = 1024, .factor = 2};
    CHECK(!release_due(&release, 100, 1000)); /* 900 superfluous */
    CHECK(release_due(&release, 100, 1124));  /* 1024 */
    release = (struct release){.pages = 1024, .factor = 2};
    for (int i = 0; i < 100; i++) CHECK(!release_due(&release, 2000, 2000));
    CHECK_EQUAL(release_average(&release), 2000);
    CHECK(!release_due(&release, 10, 3000)); /* enough of them, but not twice the average */
    CHECK(release_due(&release, 10, 4001));
    release = (struct release){.pages = 0, .factor = 2};
    CHECK(!release_due(&release, 0, 1 << 30));
}

int main(void) {
    slots_lie_as_printed_in_the_paper();
    placement_and_its_inverse_agree();
    pairs_of_malloc_and_free_as_in_the_paper();
    an_unlimited_quarantine_costs_only_what_lives();
    large_blocks_halve_the_largest_gap();
    wrong_requests_are_told_apart();
    configurations_are_checked();
    a_full_region_is_no_crash();
    nearest_is_what_a_search_finds();
    for (int quarantine = -1; quarantine <= 4; quarantine++) {
        states_do_not_disturb_each_other(KD_SPREAD, quarantine);
        states_do_not_disturb_each_other(KD_COMPACT, quarantine);
    }
    the_compact_layout_is_the_address_map();
    the_system_chooses_and_the_memory_can_be_used();
    pages_are_released_by_number_and_average();
    return 0;
}
