#include "change.h"
#include "area.h"
#include "pairs.h"
#include "../os/mem.h"

#define ROUNDS_MOST 5u
#define BLOCK_MOST 64u

static uint8_t *input(void) { return AREA(WH_FUZZ_INPUT_AT); }

/* ---- chance: xorshift64*, whose state is never 0 ---- */

static uint64_t chance(void) {
    uint64_t *state = &area_control()->random;
    if (!*state) *state = 0x9E3779B97F4A7C15ull;
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Dull >> 16;
}

/* A number below `most`. */
static uint64_t below(uint64_t most) { return most ? chance() % most : 0; }

/* ---- bytes ---- */

static uint64_t room(void) {
    const struct wh_fuzz *control = area_control();
    return control->input < control->largest ? control->largest - control->input : 0;
}

static void move(uint64_t to, uint64_t from, uint64_t size) {
    uint8_t *bytes = input();
    if (to < from)
        for (uint64_t i = 0; i < size; i++) bytes[to + i] = bytes[from + i];
    else
        for (uint64_t i = size; i-- > 0;) bytes[to + i] = bytes[from + i];
}

/* `length` bytes take the place of `size` bytes at `at`; as many of them as there is room for. */
static void replace(uint64_t at, uint64_t size, const uint8_t *bytes, uint64_t length) {
    struct wh_fuzz *control = area_control();
    if (length > size && length - size > room()) length = size + room();
    move(at + length, at + size, control->input - at - size);
    control->input += length - size;
    wh_copy(input() + at, bytes, length);
}

void change_nothing(void) {
    struct wh_fuzz *control = area_control();
    control->input = control->base;
    wh_copy(input(), AREA(WH_FUZZ_BASE_AT), control->base);
}

void change_by_step(uint64_t number) {
    const struct wh_fuzz_step *step = (const struct wh_fuzz_step *)AREA(WH_FUZZ_STEPS_AT) + number;
    const uint8_t *bytes = (const uint8_t *)&step->value;
    size_t length = step->length;
    if (step->pair) bytes = pairs_text((step->pair - 1) / 2, (step->pair - 1) % 2, &length);
    change_nothing();
    replace(step->at, step->size, bytes, length);
}

/* ---- one change ---- */

static void flip(void) {
    if (!area_control()->input) return;
    uint64_t at = below(area_control()->input * 8);
    input()[at / 8] ^= (uint8_t)(1u << at % 8);
}

static void set_byte(void) {
    if (area_control()->input) input()[below(area_control()->input)] = (uint8_t)chance();
}

/* A width of 1, 2, 4 or 8 bytes that has room; 0: there are none. */
static unsigned width_within(void) {
    uint64_t size = area_control()->input;
    unsigned width = 1u << below(4);
    while (width > size) width /= 2;
    return width;
}

static uint64_t load(uint64_t at, unsigned width, int turns) {
    uint64_t value = 0;
    wh_copy(&value, input() + at, width);
    return turns ? __builtin_bswap64(value) >> (64 - 8 * width) : value;
}

static void store(uint64_t at, unsigned width, int turns, uint64_t value) {
    if (turns) value = __builtin_bswap64(value) >> (64 - 8 * width);
    wh_copy(input() + at, &value, width);
}

static void add_little(void) {
    unsigned width = width_within();
    if (!width) return;
    uint64_t at = below(area_control()->input - width + 1), more = 1 + below(35);
    int turns = (int)below(2);
    uint64_t value = load(at, width, turns);
    store(at, width, turns, below(2) ? value + more : value - more);
}

/* Numbers at which arithmetic goes wrong: powers of two, and beside them. */
static void set_edge_of_range(void) {
    unsigned width = width_within();
    if (!width) return;
    uint64_t value = below(4) ? 1ull << below(8 * width) : 0;
    value += below(3) - 1;
    store(below(area_control()->input - width + 1), width, (int)below(2),
          below(4) ? value : ~value);
}

static int is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

/* Another number in place of one that is written in digits. */
static void set_number(void) {
    uint64_t size = area_control()->input, at = below(size), begin, end;
    while (at < size && !is_digit(input()[at])) at++;
    if (at >= size) return;
    for (begin = at; begin && is_digit(input()[begin - 1]);) begin--;
    for (end = at; end < size && is_digit(input()[end]);) end++;
    uint64_t value = below(3) ? below(1ull << below(48)) : (1ull << below(64)) - below(2);
    uint8_t text[20];
    unsigned count = 0;
    do text[sizeof text - ++count] = (uint8_t)('0' + value % 10), value /= 10;
    while (value && count < sizeof text);
    replace(begin, end - begin, text + sizeof text - count, count);
}

static uint64_t part_of(uint64_t size) {
    uint64_t most = below(4) && size > BLOCK_MOST ? BLOCK_MOST : size;
    return most ? 1 + below(most) : 0;
}

static void drop(void) {
    uint64_t size = area_control()->input, count = part_of(size / 2);
    if (count) replace(below(size - count + 1), count, NULL, 0);
}

static void repeat_part(void) {
    uint8_t part[4 * BLOCK_MOST];
    uint64_t size = area_control()->input, count = part_of(size);
    if (!count) return;
    if (count > sizeof part) count = sizeof part;
    wh_copy(part, input() + below(size - count + 1), count);
    replace(below(size + 1), 0, part, count);
}

static void copy_part(void) {
    uint64_t size = area_control()->input, count = part_of(size);
    if (count) move(below(size - count + 1), below(size - count + 1), count);
}

static void insert_bytes(void) {
    uint8_t bytes[BLOCK_MOST];
    uint64_t count = 1 + below(below(4) ? 4 : sizeof bytes);
    int same = (int)below(2);
    for (uint64_t i = 0; i < count; i++) bytes[i] = i && same ? bytes[0] : (uint8_t)chance();
    replace(below(area_control()->input + 1), 0, bytes, count);
}

static void put(const uint8_t *bytes, uint64_t length) {
    uint64_t size = area_control()->input, at = below(size + 1), over = 0;
    if (below(2)) over = size - at < length ? size - at : length;
    replace(at, over, bytes, length);
}

static void put_word(void) {
    const uint8_t *words = AREA(WH_FUZZ_WORDS_AT);
    uint32_t length, count = 0;
    for (const uint8_t *at = words;; count++, at += sizeof length + ((length + 3) & ~3u)) {
        wh_copy(&length, at, sizeof length);
        if (!length) break;
    }
    if (!count) return;
    const uint8_t *at = words;
    for (uint64_t n = below(count);; n--) {
        wh_copy(&length, at, sizeof length);
        if (!n) break;
        at += sizeof length + ((length + 3) & ~3u);
    }
    put(at + sizeof length, length);
}

static void put_compared(void) {
    uint64_t count = area_control()->pairs;
    if (!count) return;
    uint64_t number = below(count);
    unsigned which = (unsigned)below(2);
    const struct wh_fuzz_pair *pair = AREA(WH_FUZZ_PAIRS_AT + number * WH_FUZZ_PAIR_SIZE);
    size_t length = pair->width;
    uint64_t value = which ? pair->second : pair->first;
    const uint8_t *bytes = (const uint8_t *)&value;
    if (!length)
        bytes = pairs_text(number, which, &length);
    else if (below(2))
        value = __builtin_bswap64(value) >> (64 - 8 * length);
    if (bytes) put(bytes, length);
}

/* A part of another input. */
static void splice(void) {
    const uint8_t *other = AREA(WH_FUZZ_OTHER_AT);
    uint64_t size = area_control()->other, count = part_of(size);
    if (count) put(other + below(size - count + 1), count);
}

void change_by_chance(void) {
    static void (*const changes[])(void) = {
        flip,     set_byte, add_little,   set_edge_of_range, set_number,
        drop,     drop,     repeat_part,  copy_part,         insert_bytes,
        put_word, put_word, put_compared, put_compared,      splice,
    };
    change_nothing();
    for (uint64_t rounds = 1ull << below(ROUNDS_MOST); rounds; rounds--)
        changes[below(sizeof changes / sizeof *changes)]();
}
