/* Models of functions of string.h, which are called before them (`of`) or after (`after`): they
 * decide byte by byte what the plain C text of the function would. */
#include "bytes.h"
#include "passing.h"
#include "../os/mem.h"

#include <string.h>

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

size_t bytes_length(const char *string, size_t most, uint64_t pc) {
    size_t length = 0;
    most = least(most, bytes_readable(string));
    while (length < most && !byte_is(byte_at(string + length), 0, pc)) length++;
    return length;
}

/* ---- lengths ---- */

BEFORE(strlen, (const char *s)) { bytes_length(s, SIZE_MAX, HERE); }
BEFORE(strnlen, (const char *s, size_t most)) { bytes_length(s, most, HERE); }
BEFORE(strcpy, (char *to, const char *from)) {
    (void)to;
    bytes_length(from, SIZE_MAX, HERE);
}
BEFORE(strncpy, (char *to, const char *from, size_t most)) {
    (void)to;
    bytes_length(from, most, HERE);
}
BEFORE(strcat, (char *to, const char *from)) {
    bytes_length(to, SIZE_MAX, HERE);
    bytes_length(from, SIZE_MAX, HERE);
}
BEFORE(strncat, (char *to, const char *from, size_t most)) {
    bytes_length(to, SIZE_MAX, HERE);
    bytes_length(from, most, HERE);
}
BEFORE(strdup, (const char *s)) { bytes_length(s, SIZE_MAX, HERE); }
BEFORE(strndup, (const char *s, size_t most)) { bytes_length(s, most, HERE); }

/* ---- copies ---- */

AFTER(strcpy, (char *to, const char *from, char *result)) {
    (void)result;
    memory_copy((uintptr_t)to, (uintptr_t)from, strlen(from) + 1);
    return 0;
}

AFTER(strncpy, (char *to, const char *from, size_t size, char *result)) {
    (void)result;
    size_t copied = strnlen(from, size);
    memory_copy((uintptr_t)to, (uintptr_t)from, copied);
    memory_clear((uintptr_t)to + copied, size - copied);
    return 0;
}

/* The text that was appended ends where the whole text ends. */
static void appended(char *to, const char *from, size_t length) {
    uintptr_t end = (uintptr_t)to + strlen(to);
    memory_copy(end - length, (uintptr_t)from, length);
    memory_clear(end, 1);
}

AFTER(strcat, (char *to, const char *from, char *result)) {
    (void)result;
    appended(to, from, strlen(from));
    return 0;
}

AFTER(strncat, (char *to, const char *from, size_t most, char *result)) {
    (void)result;
    appended(to, from, strnlen(from, most));
    return 0;
}

AFTER(strdup, (const char *s, char *result)) {
    if (result) memory_copy((uintptr_t)result, (uintptr_t)s, strlen(s) + 1);
    return 0;
}

AFTER(strndup, (const char *s, size_t most, char *result)) {
    if (!result) return 0;
    size_t length = strnlen(s, most);
    memory_copy((uintptr_t)result, (uintptr_t)s, length);
    memory_clear((uintptr_t)result + length, 1);
    return 0;
}

AFTER(memcpy, (void *to, const void *from, size_t size, void *result)) {
    (void)result;
    memory_copy((uintptr_t)to, (uintptr_t)from, size);
    return 0;
}

BEFORE(memset, (void *to, int byte, size_t size)) {
    uint32_t number = passing_take(SELF(memset)).arguments[1];
    (void)byte;
    __whence_symbolic_set((uintptr_t)to, expression_resized(number, 8), size);
}

AFTER(bzero, (void *to, size_t size)) {
    memory_clear((uintptr_t)to, size);
    return 0;
}

/* ---- comparisons ---- */

/* The bytes at the first difference, or where the texts end. */
struct difference {
    struct byte a, b;
};

static struct byte lowered(struct byte byte, int fold) { return fold ? byte_lower(byte) : byte; }

static struct difference compare(const char *a, const char *b, size_t most, int texts, int fold,
                                 uint64_t pc) {
    struct difference last = {{0, 0}, {0, 0}};
    most = least(most, least(bytes_readable(a), bytes_readable(b)));
    for (size_t i = 0; i < most; i++) {
        last = (struct difference){lowered(byte_at(a + i), fold), lowered(byte_at(b + i), fold)};
        if (!byte_equals(last.a, last.b, pc) || (texts && byte_is(last.a, 0, pc))) return last;
    }
    return (struct difference){{0, 0}, {0, 0}};
}

static __thread struct difference compared;

BEFORE(strcmp, (const char *a, const char *b)) { compared = compare(a, b, SIZE_MAX, 1, 0, HERE); }
BEFORE(strncmp, (const char *a, const char *b, size_t most)) {
    compared = compare(a, b, most, 1, 0, HERE);
}
BEFORE(strcasecmp, (const char *a, const char *b)) {
    compared = compare(a, b, SIZE_MAX, 1, 1, HERE);
}
BEFORE(strncasecmp, (const char *a, const char *b, size_t most)) {
    compared = compare(a, b, most, 1, 1, HERE);
}
BEFORE(memcmp, (const void *a, const void *b, size_t size)) {
    compared = compare(a, b, size, 0, 0, HERE);
}

/* The result is the difference of the two bytes where the library makes it so; else only its sign
 * is decided. */
static uint32_t outcome(int result, uint64_t pc) {
    struct difference last = compared;
    uint32_t a = byte_number(last.a), b = byte_number(last.b);
    if ((!last.a.number && !last.b.number) || !a || !b) return 0;
    if (result != last.a.value - last.b.value) {
        decision_branch(expression_make(WH_OP_ULT, 1, a, b, 0, 0), last.a.value < last.b.value, pc);
        return 0;
    }
    uint32_t one = expression_resized(a, 32), other = expression_resized(b, 32);
    uint32_t made = one && other ? expression_make(WH_OP_SUB, 32, one, other, 0, 0) : 0;
    return expression_varies(made) ? made : 0;
}

AFTER(strcmp, (const char *a, const char *b, int result)) {
    (void)a, (void)b;
    return outcome(result, HERE);
}
AFTER(strncmp, (const char *a, const char *b, size_t size, int result)) {
    (void)a, (void)b, (void)size;
    return outcome(result, HERE);
}

/* ---- searches ---- */

/* `last`: the search goes on to the end. */
static void search(const char *s, struct byte wanted, size_t most, int text, int last,
                   uint64_t pc) {
    most = least(most, bytes_readable(s));
    for (size_t i = 0; i < most; i++) {
        struct byte byte = byte_at(s + i);
        if (byte_equals(byte, wanted, pc) && !last) return;
        if (text && byte_is(byte, 0, pc)) return;
    }
}

static struct byte argument_byte(const void *function, unsigned index, int value) {
    uint32_t number = passing_take(function).arguments[index];
    return (struct byte){(uint8_t)value, expression_resized(number, 8)};
}

BEFORE(strchr, (const char *s, int c)) {
    search(s, argument_byte(SELF(strchr), 1, c), SIZE_MAX, 1, 0, HERE);
}
BEFORE(strrchr, (const char *s, int c)) {
    search(s, argument_byte(SELF(strrchr), 1, c), SIZE_MAX, 1, 1, HERE);
}
BEFORE(memchr, (const void *s, int c, size_t size)) {
    search(s, argument_byte(SELF(memchr), 1, c), size, 0, 0, HERE);
}
BEFORE(memrchr, (const void *s, int c, size_t size)) {
    struct byte wanted = argument_byte(SELF(memrchr), 1, c);
    const char *from = s;
    for (size_t i = least(size, bytes_readable(from)); i-- > 0;)
        if (byte_equals(byte_at(from + i), wanted, HERE)) return;
}

/* Whether a byte is one of a set. */
static int is_one_of(struct byte byte, const char *set, uint64_t pc) {
    size_t most = bytes_readable(set);
    for (size_t i = 0; i < most; i++) {
        struct byte each = byte_at(set + i);
        if (byte_is(each, 0, pc)) return 0;
        if (byte_equals(byte, each, pc)) return 1;
    }
    return 0;
}

/* Up to the first byte that is (`wanted`) or is not in the set. */
static void span(const char *s, const char *set, int wanted, uint64_t pc) {
    size_t most = bytes_readable(s);
    for (size_t i = 0; i < most; i++) {
        struct byte byte = byte_at(s + i);
        if (byte_is(byte, 0, pc) || is_one_of(byte, set, pc) == wanted) return;
    }
}

BEFORE(strspn, (const char *s, const char *set)) { span(s, set, 0, HERE); }
BEFORE(strcspn, (const char *s, const char *set)) { span(s, set, 1, HERE); }

/* Whether a text begins with another. */
static int begins(const char *s, const char *with, size_t most, uint64_t pc) {
    size_t room = least(most, bytes_readable(with));
    for (size_t i = 0;; i++) {
        if (i >= room) return 1;
        struct byte byte = byte_at(with + i);
        if (byte_is(byte, 0, pc)) return 1;
        if (i >= most || !byte_equals(byte_at(s + i), byte, pc)) return 0;
    }
}

BEFORE(strstr, (const char *s, const char *wanted)) {
    size_t most = bytes_readable(s);
    for (size_t i = 0; i < most; i++)
        if (begins(s + i, wanted, most - i, HERE) || byte_is(byte_at(s + i), 0, HERE)) return;
}

/* ---- single characters ---- */

/* In the locale "C"; elsewhere the result may be another, and is then bound. */
static uint32_t shifted_case(uint32_t number, unsigned width, uint8_t from, int by) {
    uint32_t first = expression_constant(width, from), count = expression_constant(width, 26);
    uint32_t change = expression_constant(width, (uint64_t)(int64_t)by);
    if (!number || !first || !count || !change) return 0;
    uint32_t at = expression_make(WH_OP_SUB, width, number, first, 0, 0);
    uint32_t within = at ? expression_make(WH_OP_ULT, 1, at, count, 0, 0) : 0;
    uint32_t other = expression_make(WH_OP_ADD, width, number, change, 0, 0);
    return within && other ? expression_make(WH_OP_ITE, width, within, other, number, 0) : 0;
}

struct byte byte_lower(struct byte byte) {
    uint8_t value = byte.value >= 'A' && byte.value <= 'Z' ? byte.value + 32 : byte.value;
    return (struct byte){value, shifted_case(byte.number, 8, 'A', 32)};
}

static __thread uint32_t character;

BEFORE(tolower, (int c)) {
    (void)c;
    character = passing_take(SELF(tolower)).arguments[0];
}

static uint32_t if_so(uint32_t made, int result, uint64_t pc) {
    if (!character || (made && expression_at(made)->value == (uint32_t)result)) return made;
    decision_bind(character, WH_REASON_UNSEEN, pc);
    return 0;
}

AFTER(tolower, (int c, int result)) {
    (void)c;
    return if_so(shifted_case(character, 32, 'A', 32), result, HERE);
}
AFTER(toupper, (int c, int result)) {
    (void)c;
    return if_so(shifted_case(character, 32, 'a', -32), result, HERE);
}
