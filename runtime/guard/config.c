/* The five fields of Redzal (section 6.1): "<type>,<red>,<empty>,<reserved>,<alignment>". */
#include "guard.h"
#include "../os/mem.h"

#define ZONE_MOST (1ull << 30)

struct field {
    const char *begin;
    size_t length;
};

static int is_word(struct field field, const char *word) {
    size_t at = 0;
    while (at < field.length && word[at] && (field.begin[at] & ~0x20) == word[at]) at++;
    return at == field.length && !word[at];
}

/* A number of bytes, with k or M behind it. 0 if it is none. */
static int read_size(struct field field, uint64_t *bytes) {
    size_t digits = 0;
    uint64_t value = 0;
    for (; digits < field.length && field.begin[digits] >= '0' && field.begin[digits] <= '9';
         digits++) {
        value = value * 10 + (uint64_t)(field.begin[digits] - '0');
        if (value > ZONE_MOST) return 0;
    }
    struct field suffix = {field.begin + digits, field.length - digits};
    if (is_word(suffix, "K"))
        value <<= 10;
    else if (is_word(suffix, "M"))
        value <<= 20;
    else if (suffix.length)
        return 0;
    *bytes = wh_round_up(value, OS_PAGE);
    return digits > 0 && *bytes <= ZONE_MOST;
}

/* A bit that differs from run to run. */
static int chance(void) {
    uint64_t bits = os_now_us() ^ (uint64_t)os_process() << 7;
    return (int)((bits * 0x9e3779b97f4a7c15ull) >> 63);
}

static int read_type(struct field field, struct guard_config *into, int *chosen) {
    static const char *const words[] = {
        [GUARD_PLAIN] = "P",      [GUARD_TOP] = "T",         [GUARD_BOTTOM] = "B",
        [GUARD_BOTH_READ] = "BR", [GUARD_BOTH_WRITE] = "BW",
    };
    *chosen = is_word(field, "R");
    if (*chosen) {
        into->type = chance() ? GUARD_TOP : GUARD_BOTTOM;
        return 1;
    }
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(field, words[i])) {
            into->type = (enum guard_type)i;
            return 1;
        }
    return 0;
}

static int read_alignment(struct field field, struct guard_config *into) {
    if (is_word(field, "A"))
        into->alignment = GUARD_ALWAYS;
    else if (is_word(field, "E"))
        into->alignment = GUARD_EXACT;
    else
        return 0;
    return 1;
}

enum { TYPE, RED, EMPTY, RESERVED, ALIGNMENT, FIELDS };

static int read_field(unsigned number, struct field field, struct guard_config *into, int *chosen) {
    switch (number) {
    case TYPE: return read_type(field, into, chosen);
    case RED: return read_size(field, &into->red) && into->red;
    case EMPTY: return read_size(field, &into->empty);
    case RESERVED: return read_size(field, &into->reserved);
    default: return read_alignment(field, into);
    }
}

static void complain(unsigned number, struct field field, struct text *error) {
    static const char *const expected[FIELDS] = {
        [TYPE] = "the type is P, T, B, BR, BW or R",
        [RED] = "a red zone has 1 to 1024M bytes, with k or M for kilobytes and megabytes",
        [EMPTY] = "an empty zone has 0 to 1024M bytes, with k or M for kilobytes and megabytes",
        [RESERVED] =
            "the reserved area has 0 to 1024M bytes, with k or M for kilobytes and megabytes",
        [ALIGNMENT] = "the alignment is A (always 16), E (none) or nothing",
    };
    text_put(error, WH_ALLOC_VARIABLE ": bad ");
    text_put(error, number < FIELDS ? "field '" : "sixth field '");
    text_put_n(error, field.begin, field.length);
    text_put(error, "' (expected <type>,<red>,<empty>,<reserved>,<alignment>");
    if (number < FIELDS) text_put(error, "; ");
    if (number < FIELDS) text_put(error, expected[number]);
    text_put(error, ")");
}

int guard_parse(const char *text, size_t length, struct guard_config *into, int *chosen,
                struct text *error) {
    *into = (struct guard_config){GUARD_TOP, GUARD_NATURAL, 4 << 10, 4 << 10, 8 << 20};
    *chosen = 0;
    size_t at = 0;
    for (unsigned number = 0; at <= length && (at < length || number); number++) {
        size_t end = at;
        while (end < length && text[end] != ',') end++;
        struct field field = {text + at, end - at};
        if (number >= FIELDS || (field.length && !read_field(number, field, into, chosen))) {
            complain(number, field, error);
            return 0;
        }
        at = end + 1;
    }
    return 1;
}
