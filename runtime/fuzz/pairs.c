#include "pairs.h"
#include "area.h"
#include "../include/whence/edges.h"
#include "../os/mem.h"

/* Behind the pairs: numbers of pairs, plus 1, by the hash of what they hold; and how many pairs
 * come from a place of the code, by the hash of the place. */
#define INDEX_AT (WH_FUZZ_PAIRS_AT + WH_FUZZ_PAIRS_MOST * WH_FUZZ_PAIR_SIZE)
#define INDEX_COUNT (4 * WH_FUZZ_PAIRS_MOST)
#define SITES_AT (INDEX_AT + INDEX_COUNT * sizeof(uint16_t))
#define SITES_COUNT 8192u
/* A loop compares with each of its steps: what it compares first is enough. */
#define SITE_MOST 16u
/* Places in the base for one pair. */
#define PLACES_MOST 8u

_Static_assert(SITES_AT + SITES_COUNT <= WH_FUZZ_STEPS_AT, "room");
_Static_assert(WH_FUZZ_PAIRS_MOST < UINT16_MAX, "numbers of pairs");
_Static_assert(WH_FUZZ_STEPS_AT + WH_FUZZ_STEPS_MOST * sizeof(struct wh_fuzz_step) <=
                   WH_FUZZ_KEYS_AT,
               "room");

WH_EXPORT uint8_t __whence_edges_traced;

static struct wh_fuzz_pair *pair_at(uint64_t number) {
    return AREA(WH_FUZZ_PAIRS_AT + number * WH_FUZZ_PAIR_SIZE);
}

void pairs_trace(int on) {
    if (on) {
        area_control()->pairs = 0;
        wh_fill(AREA(INDEX_AT), 0, INDEX_COUNT * sizeof(uint16_t) + SITES_COUNT);
    }
    /* where it has the value, its page need not be written to */
    if (__whence_edges_traced != on) __whence_edges_traced = (uint8_t)on;
}

int pairs_are_traced(void) { return __whence_edges_traced; }

/* ---- what is compared ---- */

static uint64_t hash_of(const struct wh_fuzz_pair *pair) {
    uint64_t hash =
        pair->first * 0x9E3779B97F4A7C15ull ^ pair->second ^ (uint64_t)pair->width << 32;
    const uint8_t *text = (const uint8_t *)(pair + 1);
    for (unsigned i = 0; pair->size && i < 2 * WH_FUZZ_PAIR_TEXT; i++)
        hash = (hash ^ text[i]) * 0x100000001B3ull;
    return hash ^ hash >> 31;
}

static int is_equal(const struct wh_fuzz_pair *one, const struct wh_fuzz_pair *other) {
    const uint8_t *x = (const uint8_t *)one, *y = (const uint8_t *)other;
    for (unsigned i = 0; i < WH_FUZZ_PAIR_SIZE; i++)
        if (x[i] != y[i]) return 0;
    return 1;
}

/* The pair has been written behind the last one: it is kept unless there is an equal one. */
static void keep(void) {
    struct wh_fuzz *control = area_control();
    const struct wh_fuzz_pair *pair = pair_at(control->pairs);
    uint16_t *index = AREA(INDEX_AT);
    for (uint64_t i = hash_of(pair);; i++) {
        uint16_t *entry = &index[i % INDEX_COUNT];
        if (*entry && !is_equal(pair_at(*entry - 1u), pair)) continue;
        if (!*entry) *entry = (uint16_t)++control->pairs;
        return;
    }
}

static struct wh_fuzz_pair *next_pair(void) {
    struct wh_fuzz *control = area_control();
    if (control->pairs + 1 >= WH_FUZZ_PAIRS_MOST) return NULL;
    struct wh_fuzz_pair *pair = pair_at(control->pairs);
    wh_fill(pair, 0, WH_FUZZ_PAIR_SIZE);
    return pair;
}

static void keep_integers(uint64_t first, uint64_t second, uint32_t width) {
    struct wh_fuzz_pair *pair = first == second ? NULL : next_pair();
    if (!pair) return;
    pair->first = first, pair->second = second, pair->width = width;
    keep();
}

static int is_often(const void *place) {
    uint64_t hash = (uint64_t)(uintptr_t)place * 0x9E3779B97F4A7C15ull;
    uint8_t *seen = (uint8_t *)AREA(SITES_AT) + (hash >> 40) % SITES_COUNT;
    if (*seen >= SITE_MOST) return 1;
    ++*seen;
    return 0;
}

WH_EXPORT void __whence_edges_compared(uint64_t first, uint64_t second, uint32_t width) {
    if (first != second && !is_often(__builtin_return_address(0)))
        keep_integers(first, second, width);
}

WH_EXPORT void __whence_edges_switched(uint64_t value, const uint64_t *cases, uint32_t width) {
    if (is_often(__builtin_return_address(0))) return;
    for (uint64_t i = 1; i <= cases[0]; i++) keep_integers(value, cases[i], width);
}

static size_t shortened(size_t size) { return size < WH_FUZZ_PAIR_TEXT ? size : WH_FUZZ_PAIR_TEXT; }

void pairs_texts(const void *first, size_t first_size, const void *second, size_t second_size) {
    struct wh_fuzz_pair *pair = next_pair();
    if (!pair) return;
    size_t one = shortened(first_size), other = shortened(second_size);
    uint8_t *text = (uint8_t *)(pair + 1);
    pair->size = (uint32_t)(one | other << 16);
    wh_copy(text, first, one);
    wh_copy(text + WH_FUZZ_PAIR_TEXT, second, other);
    if (pair->size) keep();
}

const uint8_t *pairs_text(uint64_t number, unsigned which, size_t *size) {
    const struct wh_fuzz_pair *pair = pair_at(number);
    *size = which ? pair->size >> 16 : pair->size & 0xFFFF;
    return *size ? (const uint8_t *)(pair + 1) + which * WH_FUZZ_PAIR_TEXT : NULL;
}

/* ---- steps ---- */

static void add(uint64_t at, size_t size, size_t length, uint32_t pair, uint64_t value) {
    struct wh_fuzz *control = area_control();
    if (control->steps == WH_FUZZ_STEPS_MOST) return;
    struct wh_fuzz_step *step = (struct wh_fuzz_step *)AREA(WH_FUZZ_STEPS_AT) + control->steps++;
    *step = (struct wh_fuzz_step){(uint32_t)at, (uint32_t)size, (uint32_t)length, pair, value};
}

static int stands_at(const uint8_t *at, const uint8_t *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (at[i] != text[i]) return 0;
    return 1;
}

/* The next place of a text in the base, from `from` on; its size: there is none. */
static uint64_t place_of(const uint8_t *text, size_t size, uint64_t from) {
    const uint8_t *base = AREA(WH_FUZZ_BASE_AT);
    uint64_t all = area_control()->base;
    for (uint64_t at = from; at + size <= all; at++)
        if (base[at] == *text && stands_at(base + at, text, size)) return at;
    return all;
}

static uint64_t turned(uint64_t value, unsigned width) {
    return __builtin_bswap64(value) >> (64 - 8 * width);
}

static uint64_t cut(uint64_t value, unsigned width) {
    return width == 8 ? value : value & ((1ull << 8 * width) - 1);
}

/* Whether the bits above do not matter: all are 0, or the sign's. */
static int fits(uint64_t value, unsigned width, unsigned whole) {
    uint64_t low = cut(value, width);
    uint64_t high = cut(value, whole) ^ low;
    return !high || high == (cut(~0ull, whole) ^ cut(~0ull, width));
}

static void put_integers(uint64_t from, uint64_t to, unsigned width, int turns) {
    uint64_t pattern = cut(from, width), all = area_control()->base;
    if (turns) pattern = turned(pattern, width);
    uint64_t at = place_of((const uint8_t *)&pattern, width, 0);
    for (unsigned n = 0; n < PLACES_MOST && at < all; n++) {
        for (int more = -1; more <= 1; more++) {
            uint64_t value = cut(to + (uint64_t)(int64_t)more, width);
            add(at, width, width, 0, turns ? turned(value, width) : value);
        }
        at = place_of((const uint8_t *)&pattern, width, at + 1);
    }
}

/* The digits of a number as the bytes of a word; the number of digits, 0 if they are too many. */
static unsigned digits_of(uint64_t value, uint64_t *word) {
    char text[8];
    unsigned count = 0;
    do text[count++] = (char)('0' + value % 10), value /= 10;
    while (value && count < sizeof text);
    if (value) return 0;
    *word = 0;
    for (unsigned i = 0; i < count; i++) *word |= (uint64_t)(uint8_t)text[count - 1 - i] << 8 * i;
    return count;
}

/* Numbers as text have at least two digits: one digit is a byte like others. */
static void put_decimal(uint64_t from, uint64_t to) {
    uint64_t pattern, all = area_control()->base;
    unsigned size = digits_of(from, &pattern);
    if (size < 2) return;
    uint64_t at = place_of((const uint8_t *)&pattern, size, 0);
    for (unsigned n = 0; n < PLACES_MOST && at < all; n++) {
        for (int more = -1; more <= 1; more++) {
            uint64_t value;
            unsigned length = digits_of(to + (uint64_t)(int64_t)more, &value);
            if (length) add(at, size, length, 0, value);
        }
        at = place_of((const uint8_t *)&pattern, size, at + size);
    }
}

static void integers(const struct wh_fuzz_pair *pair, int turned_round) {
    uint64_t from = turned_round ? pair->second : pair->first;
    uint64_t to = turned_round ? pair->first : pair->second;
    for (unsigned width = 1; width <= pair->width; width *= 2) {
        if (!fits(from, width, pair->width) || !fits(to, width, pair->width)) continue;
        put_integers(from, to, width, 0);
        if (width > 1) put_integers(from, to, width, 1);
    }
    put_decimal(from, to);
}

/* In place of as many bytes, and of the whole text. */
static void texts(uint64_t number, unsigned which) {
    size_t size, length;
    const uint8_t *from = pairs_text(number, which, &size);
    if (!from || !pairs_text(number, !which, &length)) return;
    uint64_t all = area_control()->base;
    uint32_t named = 2 * (uint32_t)number + !which + 1;
    uint64_t at = place_of(from, size, 0);
    for (unsigned n = 0; n < PLACES_MOST && at < all; n++) {
        add(at, size, length, named, 0);
        if (size != length) add(at, at + length < all ? length : all - at, length, named, 0);
        at = place_of(from, size, at + 1);
    }
}

void pairs_find_steps(void) {
    struct wh_fuzz *control = area_control();
    control->steps = 0;
    for (uint64_t i = 0; i < control->pairs; i++)
        for (unsigned which = 0; which < 2; which++)
            if (pair_at(i)->width)
                integers(pair_at(i), (int)which);
            else
                texts(i, which);
}
