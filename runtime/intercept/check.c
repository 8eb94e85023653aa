#include <stdarg.h>
#include <wchar.h>
#include "check.h"
#include "../fuzz/pairs.h"
#include "../os/os.h"
#include "../planes/planes.h"
#include "../rt/reads.h"
#include "../rt/uses.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- undefined bytes ---- */

void check_used_bytes(struct site site, const void *pointer, size_t size) {
    uintptr_t begin = (uintptr_t)pointer, first = values_first(begin, size);
    if (first == begin + size) return;
    read_memory(begin, size, site.function, site.frame);
    use_memory(begin, size, first, site.function, site.frame);
}

/* Whether the plane says that bytes are defined, accessible or not. */
static int is_known(const void *pointer, size_t size) {
    return values_are_defined((uintptr_t)pointer, size);
}

void check_compared(struct site site, const void *a, const void *b, size_t size) {
    const unsigned char *x = a, *y = b;
    if (WH_UNLIKELY(pairs_are_traced()) && access_clean((uintptr_t)a, size) &&
        access_clean((uintptr_t)b, size))
        pairs_texts(a, size, b, size);
    if (!VALUES_ON || (is_known(a, size) && is_known(b, size))) return;
    if (!access_clean((uintptr_t)a, size) || !access_clean((uintptr_t)b, size)) return;
    size_t same = 0;
    while (same < size && x[same] == y[same]) same++;
    size_t read = same < size ? same + 1 : size;
    check_used_bytes(site, a, read);
    check_used_bytes(site, b, read);
}

/* ---- strings ---- */

#define LINE 64u /* bytes that eight state bytes describe */

/* Addressable bytes of one line from `at` on, by its state. */
static size_t line_rest(uintptr_t at) {
    uintptr_t end = wh_round_down(at, LINE) + LINE;
    if (WH_LIKELY(plane_clean(at, end - at))) return end - at;
    return plane_first_bad(at, end - at) - at;
}

/* The first of `count` bytes that is one or the other. */
static const char *first_of(const char *from, int one, int other, size_t count) {
    const char *hit = memchr(from, one, count);
    if (one == other) return hit;
    const char *second = memchr(from, other, hit ? (size_t)(hit - from) : count);
    return second ? second : hit;
}

size_t readable_until(const void *string, int stop, size_t most, int *found) {
    return readable_until_either(string, stop, stop, most, found);
}

size_t readable_until_either(const void *string, int stop, int other, size_t most, int *found) {
    uintptr_t begin = (uintptr_t)string, at = begin;
    *found = 0;
    /* The state bytes of a block are exact once its first byte is in it. */
    if (!most || !(access_quick(at, 1) || access_clean(at, 1))) return 0;
    while (at - begin < most) {
        size_t rest = line_rest(at), left = most - (at - begin);
        size_t count = rest < left ? rest : left;
        const char *hit = count ? first_of((const char *)at, stop, other, count) : NULL;
        if (hit) {
            *found = 1;
            return (uintptr_t)hit - begin + 1;
        }
        at += count;
        if (count == rest && at % LINE) break;
        if (!rest || !plane_covers(at)) break;
    }
    return at - begin;
}

size_t check_until(struct site site, const void *string, int stop, size_t most) {
    int found;
    size_t count = readable_until(string, stop, most, &found);
    if (WH_LIKELY(found)) {
        tell_races(site, string, count, 0);
        return count - 1;
    }
    if (count < most) check_range(site, string, count + 1, 0, string);
    return count;
}

size_t check_used_until(struct site site, const void *string, int stop, size_t most) {
    /* Text that was never written may have no end: its first byte comes first. */
    if (VALUES_ON && most && !is_known(string, 1) && access_clean((uintptr_t)string, 1))
        check_used_bytes(site, string, 1);
    size_t count = check_until(site, string, stop, most);
    if (VALUES_ON) {
        size_t read = count < most ? count + 1 : count;
        if (!is_known(string, read) && access_clean((uintptr_t)string, read))
            check_used_bytes(site, string, read);
    }
    return count;
}

size_t check_wide(struct site site, const wchar_t *string, size_t most) {
    for (size_t i = 0; i < most; i++) {
        if (!access_clean((uintptr_t)&string[i], sizeof *string)) {
            check_range(site, string, (i + 1) * sizeof *string, 0, string);
            return i;
        }
        if (!string[i]) {
            tell_races(site, string, (i + 1) * sizeof *string, 0);
            return i;
        }
    }
    return most;
}

/* State of one byte whose block is known to have exact state bytes. */
static int byte_is_bad(const char *at) {
    return plane_first_bad((uintptr_t)at, 1) == (uintptr_t)at;
}

static size_t shown(const char *text, size_t most) {
    size_t size = 0;
    while (size < most && size < WH_FUZZ_PAIR_TEXT && access_clean((uintptr_t)text + size, 1) &&
           text[size])
        size++;
    return size;
}

void check_compare(struct site site, const char *a, const char *b, size_t most, int fold) {
    if (!most) return;
    if (WH_UNLIKELY(pairs_are_traced())) pairs_texts(a, shown(a, most), b, shown(b, most));
    check_range(site, a, 1, 0, a);
    check_range(site, b, 1, 0, b);
    if (!access_clean((uintptr_t)a, 1) || !access_clean((uintptr_t)b, 1)) return;
    size_t i = 0;
    for (; i < most; i++) {
        if (*plane_state((uintptr_t)a + i) && byte_is_bad(a + i)) {
            check_range(site, a, i + 1, 0, a);
            return;
        }
        if (*plane_state((uintptr_t)b + i) && byte_is_bad(b + i)) {
            check_range(site, b, i + 1, 0, b);
            return;
        }
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
        if (fold && x != y) x = (unsigned char)tolower(x), y = (unsigned char)tolower(y);
        if (x != y || !x) break;
    }
    check_used(site, a, i < most ? i + 1 : most);
    check_used(site, b, i < most ? i + 1 : most);
}

static int ends_number(char c) {
    return !isalnum((unsigned char)c) && !strchr("+-.,_() \t\n\r\v\f", c);
}

/* Blanks and a sign. */
static size_t before_digits(const char *text, size_t most) {
    size_t i = 0;
    while (i < most && isspace((unsigned char)text[i])) i++;
    return i < most && (text[i] == '+' || text[i] == '-') ? i + 1 : i;
}

/* Bytes of a number of `most` bytes that every function reads: blanks, a sign, decimal digits, and
 * the byte behind them. */
static size_t number_read(const char *text, size_t most) {
    size_t i = before_digits(text, most);
    while (i < most && isdigit((unsigned char)text[i])) i++;
    return i < most ? i + 1 : most;
}

/* A number that ends within the longest text that is looked at closely. */
#define NUMBER_MOST 1024

/* Whether a number of a text without its final 0 may go on behind the text: what begins an exponent
 * or a prefix is read on. */
static int may_go_on(const char *text, size_t count, number_end end_of, int base) {
    char copy[NUMBER_MOST + 1];
    if (count > NUMBER_MOST) return 1;
    wh_copy(copy, text, count);
    copy[count] = 0;
    size_t converted = end_of(copy, base);
    if (before_digits(copy, count) == count || converted == count) return 1;
    int real = end_of == check_end_of_real;
    if (strchr(real ? "eEpP" : base == 10 ? "" : "xXbB", copy[converted])) {
        converted++;
        if (real && converted < count && strchr("+-", copy[converted])) converted++;
    }
    return converted >= count;
}

/* The functions refuse other bases, and read nothing. */
static int is_base(int base) { return base == 0 || (base >= 2 && base <= 36); }

void check_number(struct site site, const char *text, number_end end_of, int base) {
    if (!is_base(base)) return;
    int found;
    size_t count = readable_until(text, 0, NO_LIMIT, &found), i = 0;
    check_used(site, text, number_read(text, VALUES_ON ? count : 0));
    if (WH_LIKELY(found)) return;
    for (; i < count; i++)
        if (ends_number(text[i])) return;
    int error = errno;
    if (may_go_on(text, count, end_of, base)) check_range(site, text, count + 1, 0, text);
    errno = error;
}

static int wide_is_bad(const wchar_t *character) {
    const char *bytes = (const char *)character;
    for (size_t i = 0; i < sizeof *character; i++)
        if (*plane_state((uintptr_t)bytes + i) && byte_is_bad(bytes + i)) return 1;
    return 0;
}

void check_wide_number(struct site site, const wchar_t *text, number_end end_of, int base) {
    if (!is_base(base)) return;
    char copy[NUMBER_MOST + 1];
    size_t count = 0;
    int ended = 0;
    for (; !ended && count < NUMBER_MOST && !wide_is_bad(text + count); count++) {
        wchar_t c = text[count];
        copy[count] = c >= 0 && c < 0x7F ? (char)c : 0x7F;
        ended = !c || ends_number(copy[count]);
    }
    check_used(site, text, number_read(copy, VALUES_ON ? count : 0) * sizeof *text);
    if (ended) return;
    copy[count] = 0;
    int error = errno;
    if (count == NUMBER_MOST)
        check_wide(site, text, NO_LIMIT);
    else if (may_go_on(copy, count, end_of, base))
        check_range(site, text, (count + 1) * sizeof *text, 0, text);
    errno = error;
}

size_t check_end_of_integer(const char *text, int base) {
    char *end = NULL;
    strtoll(text, &end, base);
    return end ? (size_t)(end - text) : 0;
}

size_t check_end_of_real(const char *text, int base) {
    char *end = NULL;
    (void)base;
    strtold(text, &end);
    return (size_t)(end - text);
}
