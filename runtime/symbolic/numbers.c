/* Models of conversions of texts to integers: they decide which bytes are digits, and the result is
 * an expression of those. */
#include "bytes.h"
#include "passing.h"
#include "../os/mem.h"

#include <limits.h>

/* What a text says, as it is read. */
struct number {
    uint32_t expression; /* 64 bits wide; 0 while it is concrete */
    uint64_t value;
    unsigned digits;
};

static __thread struct number converted;

static uint32_t in_64(uint32_t number, uint64_t value) {
    return number ? number : expression_constant(64, value);
}

static uint32_t combined(unsigned op, uint32_t a, uint64_t a_value, uint32_t b, uint64_t b_value) {
    if (!a && !b) return 0;
    uint32_t one = in_64(a, a_value), other = in_64(b, b_value);
    return one && other ? expression_make(op, 64, one, other, 0, 0) : 0;
}

/* The value of a digit of a base, by decisions about ranges of bytes; `base` if it is none. */
static uint64_t digit_of(struct byte byte, uint64_t base, uint32_t *number, uint64_t pc) {
    static const struct {
        uint8_t first, worth;
    } ranges[] = {{'0', 0}, {'a', 10}, {'A', 10}};
    for (unsigned i = 0; i < (base > 10 ? 3 : 1); i++) {
        uint64_t count = i ? base - 10 : base < 10 ? base : 10;
        uint8_t first = ranges[i].first;
        if (!byte_within(byte, first, (uint8_t)(first + count - 1), pc)) continue;
        uint64_t shift = (uint64_t)ranges[i].worth - first;
        *number = combined(WH_OP_ADD, expression_resized(byte.number, 64), byte.value, 0, shift);
        return byte.value + shift;
    }
    return base;
}

/* Digits of a base that always fit 63 bits. */
static unsigned safe_digits(uint64_t base) {
    unsigned digits = 0;
    for (uint64_t left = INT64_MAX; left >= base; left /= base) digits++;
    return digits;
}

static void take_digit(struct number *so_far, uint64_t base, uint64_t digit, uint32_t number,
                       uint64_t pc) {
    if (++so_far->digits > safe_digits(base)) {
        decision_bind(so_far->expression, WH_REASON_UNSEEN, pc);
        decision_bind(number, WH_REASON_UNSEEN, pc);
        so_far->expression = number = 0;
    }
    uint32_t scaled = combined(WH_OP_MUL, so_far->expression, so_far->value, 0, base);
    so_far->expression = combined(WH_OP_ADD, scaled, so_far->value * base, number, digit);
    so_far->value = so_far->value * base + digit;
}

static int is_space(struct byte byte, uint64_t pc) {
    return byte_is(byte, ' ', pc) || byte_within(byte, '\t', '\r', pc);
}

/* A text as its models read it; behind its end there are zeros. */
struct reader {
    const char *text;
    size_t at, most;
    uint64_t pc;
};

static struct byte next(const struct reader *reader, size_t ahead) {
    size_t at = reader->at + ahead;
    return at < reader->most ? byte_at(reader->text + at) : (struct byte){0, 0};
}

static int next_is(const struct reader *reader, size_t ahead, char one, char other) {
    struct byte byte = next(reader, ahead);
    return byte_is(byte, (uint8_t)one, reader->pc) || byte_is(byte, (uint8_t)other, reader->pc);
}

/* The base, behind its prefix. */
static uint64_t base_of(struct reader *reader, int asked) {
    if (asked != 0 && asked != 16) return (uint64_t)asked;
    if (!byte_is(next(reader, 0), '0', reader->pc)) return asked ? 16 : 10;
    uint32_t unused;
    if (next_is(reader, 1, 'x', 'X') && digit_of(next(reader, 2), 16, &unused, reader->pc) < 16) {
        reader->at += 2;
        return 16;
    }
    return asked ? 16 : 8;
}

static void read_number(const char *text, int asked, uint64_t pc) {
    struct reader reader = {text, 0, bytes_readable(text), pc};
    converted = (struct number){0, 0, 0};
    while (is_space(next(&reader, 0), pc)) reader.at++;
    int negative = byte_is(next(&reader, 0), '-', pc);
    if (negative || byte_is(next(&reader, 0), '+', pc)) reader.at++;
    uint64_t base = base_of(&reader, asked);
    if (base < 2 || base > 36) return;
    for (;; reader.at++) {
        uint32_t number = 0;
        uint64_t digit = digit_of(next(&reader, 0), base, &number, pc);
        if (digit >= base) break;
        take_digit(&converted, base, digit, number, pc);
    }
    if (!negative) return;
    converted.expression = combined(WH_OP_SUB, 0, 0, converted.expression, converted.value);
    converted.value = 0 - converted.value;
}

/* What the library has found: bound where it is not what the model has, as beyond the limits. */
static uint32_t outcome(uint64_t result, unsigned width, uint64_t pc) {
    uint32_t made = expression_resized(converted.expression, width);
    if (!expression_varies(made)) return 0;
    if (expression_at(made)->value == (width < 64 ? (uint32_t)result : result)) return made;
    decision_bind(converted.expression, WH_REASON_UNSEEN, pc);
    return 0;
}

BEFORE(atol, (const char *text)) { read_number(text, 10, HERE); }
AFTER(atoi, (const char *text, int result)) {
    (void)text;
    return outcome((uint64_t)(int64_t)result, 32, HERE);
}
AFTER(atol, (const char *text, long result)) {
    (void)text;
    return outcome((uint64_t)result, 64, HERE);
}
BEFORE(strtol, (const char *text, char **end, int base)) {
    (void)end;
    decision_bind(passing_take(SELF(strtol)).arguments[2], WH_REASON_UNSEEN, HERE);
    read_number(text, base, HERE);
}
AFTER(strtol, (const char *text, char **end, int base, long result)) {
    (void)text, (void)end, (void)base;
    return outcome((uint64_t)result, 64, HERE);
}
