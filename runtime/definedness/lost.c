/* What is left of a fill word of which a store has overwritten some bytes, and nobody knows the
 * origin: the constants of all images are the candidates. */
#include "origin.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/images.h"

#define HALF_SHIFT 32u
#define LOW_HALF ((1ull << HALF_SHIFT) - 1)

/* The upper halves of origins of most stacks are the same. */
static uint64_t upper_of_stacks(void) { return WH_STACK_ORIGIN >> HALF_SHIFT; }

/* Whether the upper half of an origin is that of some. */
static int is_upper_fill(uint64_t word) {
    uint64_t upper = word >> HALF_SHIFT & (ORIGIN_MASK >> HALF_SHIFT), begin, end;
    for (uint32_t cursor = 0; (begin = images_begin(&cursor, &end));)
        if (begin >> HALF_SHIFT == upper) return 1;
    return upper == upper_of_stacks();
}

/* The origin with this upper half that the bytes `kept` of a word are of; 0 if there is none. */
static uint64_t with_upper(uint64_t upper, uint64_t word, uint64_t kept) {
    uint64_t origin = upper << HALF_SHIFT | (word & LOW_HALF);
    return ((origin_fill(origin) ^ word) & kept) || !origin_is_valid(origin) ? 0 : origin;
}

static uint64_t with_some_upper(uint64_t word, uint64_t kept) {
    uint64_t begin, end, origin = with_upper(upper_of_stacks(), word, kept);
    for (uint32_t cursor = 0; !origin && (begin = images_begin(&cursor, &end));)
        origin = with_upper(begin >> HALF_SHIFT, word, kept);
    return origin;
}

/* ---- constants that agree with what is left ---- */

/* Addresses that differ in the lowest byte alone: they are read together. */
#define CHUNK 256u
/* So many are read for one word; each takes a system call. */
#define MOST_READ 4096u
/* The bytes that have to be left: all others may be data that look like a fill word. */
#define ENOUGH (~0ull << 40)

struct search {
    uint64_t word, kept;
    uint64_t origin; /* of a constant that agrees; 0: none, or several */
    uint32_t found, read;
};

static int agrees(const struct search *search, uint64_t origin, uint64_t ignored) {
    return !((origin_fill(origin) ^ search->word) & search->kept & ~ignored);
}

static int is_done(const struct search *search) {
    return search->found > 1 || search->read == MOST_READ;
}

/* Pages that two segments have a part of are there twice, with one and the same constant. */
static int is_same(uint64_t origin, uint64_t other) {
    const char *text = origin_text(origin), *other_text = origin_text(other);
    return text && other_text && wh_same(text, other_text);
}

static void add(struct search *search, uint64_t origin) {
    if (search->found && is_same(search->origin, origin)) return;
    search->origin = search->found++ ? 0 : origin;
}

static void look_into(struct search *search, uint64_t chunk) {
    uint32_t words[CHUNK / sizeof(uint32_t)];
    search->read++;
    if (!os_copy(words, chunk, sizeof words)) return;
    for (uint64_t at = WH_ORIGIN_CONSTANT_PLACE; at < CHUNK; at += WH_ORIGIN_PLACE_UNIT) {
        uint64_t origin = origin_of_constant(chunk + at);
        if (words[at / sizeof *words] == WHENCE_UNDEFINED_MAGIC && agrees(search, origin, 0))
            add(search, origin);
    }
}

static void search_constants(struct search *search) {
    uint64_t begin, end;
    for (uint32_t cursor = 0; (begin = images_begin(&cursor, &end));)
        for (uint64_t chunk = wh_round_down(begin, CHUNK); chunk < end && !is_done(search);
             chunk += CHUNK)
            if (agrees(search, origin_of_constant(chunk), CHUNK - 1)) look_into(search, chunk);
}

/* ---- those that were looked for before ---- */

/* A function that does this does it again, and its variable has the same constant. */
#define REMEMBERED 256u
static struct memory {
    uint64_t word, kept, origin;
    uint32_t version, found;
} remembered[REMEMBERED];
/* Whoever does not get it goes without: the holder may be what a signal has interrupted. */
static int is_taken;

static int take(void) { return !__atomic_exchange_n(&is_taken, 1, __ATOMIC_ACQUIRE); }
static void let_go(void) { __atomic_store_n(&is_taken, 0, __ATOMIC_RELEASE); }

static struct memory *memory_of(const struct search *search) {
    uint64_t mixed = (search->word & search->kept) * 0x9e3779b97f4a7c15ull + search->kept;
    return &remembered[(mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9ull >> 56];
}

static int recall(struct search *search) {
    struct memory *memory = memory_of(search);
    if (!take()) return 0;
    int known = memory->kept == search->kept && memory->word == (search->word & search->kept) &&
                memory->version == images_version();
    if (known) {
        search->origin = memory->origin;
        search->found = memory->found;
    }
    let_go();
    return known;
}

static void remember(const struct search *search) {
    struct memory *memory = memory_of(search);
    if (!take()) return;
    *memory = (struct memory){search->word & search->kept, search->kept, search->origin,
                              images_version(), search->found};
    let_go();
}

uint64_t origin_left(uint64_t word, uint64_t kept, uint64_t *origin) {
    *origin = 0;
    if ((kept & LOW_HALF) == LOW_HALF && (*origin = with_some_upper(word, kept))) return kept;
    if (word >> WH_FILL_SHIFT != WH_FILL || (kept & ENOUGH) != ENOUGH) return 0;
    struct search search = {.word = word, .kept = kept};
    if (!recall(&search)) {
        search_constants(&search);
        remember(&search);
    }
    *origin = search.origin;
    if (search.found) return kept;
    return (kept & ~LOW_HALF) == ~LOW_HALF && is_upper_fill(word) ? ~LOW_HALF : 0;
}
