/* stdlib.h, wchar.h, uchar.h: text in other encodings, and wide text of a length that is given. */
#include <stdarg.h>
#include <wchar.h>
#include "check.h"
#include "../os/mem.h"
#include "../rt/access.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <uchar.h>

#define WIDE sizeof(wchar_t)
#define FAILED(count) ((count) == (size_t)-1)

/* ---- what conversions read ---- */

/* One character of at most `most` bytes, up to the byte that ends it or shows that it is none. */
static void read_character(struct site site, const char *from, size_t most,
                           const mbstate_t *state) {
    if (!most) return;
    check_range(site, from, 1, 0, from);
    size_t longest = most < MB_LEN_MAX ? most : MB_LEN_MAX;
    if (access_clean((uintptr_t)from, longest) || !access_clean((uintptr_t)from, 1)) return;
    mbstate_t now = state ? *state : (mbstate_t){0};
    for (size_t i = 0; i < longest; i++) {
        if (!access_clean((uintptr_t)from + i, 1)) {
            check_range(site, from, i + 1, 0, from);
            return;
        }
        if (mbrtowc(NULL, from + i, 1, &now) != (size_t)-2) return;
    }
}

#define PIECE 64u /* characters that are counted at once */

/* How many of at most `most` characters text is converted to, with the final 0. A text that has
 * that many needs no end, so only those are read. */
static size_t read_text(struct site site, const char *from, size_t most, const mbstate_t *state) {
    size_t longest = most < NO_LIMIT / MB_LEN_MAX ? most * MB_LEN_MAX : NO_LIMIT, count = 0;
    int found;
    size_t readable = readable_until(from, 0, longest, &found);
    const char *at = from, *end = from + readable;
    mbstate_t now = state ? *state : (mbstate_t){0};
    while (count < most && at < end) {
        wchar_t piece[PIECE];
        const char *before = at;
        size_t room = most - count < PIECE ? most - count : PIECE;
        size_t made = mbsnrtowcs(piece, &at, (size_t)(end - at), room, &now);
        if (FAILED(made)) return count;
        count += made;
        if (!at) return count + 1;
        if (at == before) break;
    }
    if (count < most && readable < longest) check_range(site, from, readable + 1, 0, from);
    return count;
}

/* How many of at most `most` bytes wide text is converted to, with the final 0. */
static size_t read_wide_text(struct site site, const wchar_t *from, size_t most,
                             const mbstate_t *state) {
    mbstate_t now = state ? *state : (mbstate_t){0};
    size_t count = 0;
    for (size_t i = 0; count < most; i++) {
        if (!access_clean((uintptr_t)&from[i], WIDE)) {
            check_range(site, from, bytes_of(i + 1, WIDE), 0, from);
            break;
        }
        char bytes[MB_LEN_MAX];
        size_t more = wcrtomb(bytes, from[i], &now);
        if (FAILED(more) || more > most - count) break;
        count += more;
        if (!from[i]) break;
    }
    return count;
}

/* ---- stdlib.h ---- */

WRAP(int, mblen, (const char *from, size_t most)) {
    if (from) read_character(SITE, from, most, NULL);
    return mblen(from, most);
}

WRAP(int, mbtowc, (wchar_t * to, const char *from, size_t most)) {
    if (from) read_character(SITE, from, most, NULL);
    WRITE_IF(to, sizeof *to);
    return mbtowc(to, from, most);
}

WRAP(int, wctomb, (char *to, wchar_t value)) {
    char bytes[MB_LEN_MAX];
    if (!to) return wctomb(to, value);
    int count = wctomb(bytes, value);
    if (count > 0) {
        WRITE(to, (size_t)count);
        wh_copy(to, bytes, (size_t)count);
    }
    return count;
}

WRAP(size_t, mbstowcs, (wchar_t * to, const char *from, size_t most)) {
    if (to)
        WRITE(to, bytes_of(read_text(SITE, from, most, NULL), WIDE));
    else
        READ_STRING(from);
    return mbstowcs(to, from, most);
}

WRAP(size_t, wcstombs, (char *to, const wchar_t *from, size_t most)) {
    if (to)
        WRITE(to, read_wide_text(SITE, from, most, NULL));
    else
        READ_WIDE(from);
    return wcstombs(to, from, most);
}

/* ---- wchar.h and uchar.h ---- */

WRAP(size_t, mbrtowc, (wchar_t * to, const char *from, size_t most, mbstate_t *state)) {
    WRITE_IF(to, sizeof *to);
    WRITE_IF(state, sizeof *state);
    if (from) read_character(SITE, from, most, state);
    return mbrtowc(to, from, most, state);
}

WRAP(size_t, mbrlen, (const char *from, size_t most, mbstate_t *state)) {
    WRITE_IF(state, sizeof *state);
    if (from) read_character(SITE, from, most, state);
    return mbrlen(from, most, state);
}

WRAP(size_t, wcrtomb, (char *to, wchar_t value, mbstate_t *state)) {
    char bytes[MB_LEN_MAX];
    WRITE_IF(state, sizeof *state);
    if (!to) return wcrtomb(to, value, state);
    size_t count = wcrtomb(bytes, value, state);
    if (!FAILED(count)) {
        WRITE(to, count);
        wh_copy(to, bytes, count);
    }
    return count;
}

WRAP(size_t, mbsrtowcs, (wchar_t * to, const char **from, size_t most, mbstate_t *state)) {
    WRITE_IF(state, sizeof *state);
    if (!to) {
        READ(from, sizeof *from);
        READ_STRING(*from);
        return mbsrtowcs(to, from, most, state);
    }
    WRITE(from, sizeof *from);
    size_t stored = bytes_of(read_text(SITE, *from, most, state), WIDE);
    WRITE(to, stored);
    size_t count = mbsrtowcs(to, from, most, state);
    NOW_WRITTEN(SITE, to, stored);
    return count;
}

WRAP(size_t, wcsrtombs, (char *to, const wchar_t **from, size_t most, mbstate_t *state)) {
    WRITE_IF(state, sizeof *state);
    if (!to) {
        READ(from, sizeof *from);
        READ_WIDE(*from);
        return wcsrtombs(to, from, most, state);
    }
    WRITE(from, sizeof *from);
    size_t stored = read_wide_text(SITE, *from, most, state);
    WRITE(to, stored);
    size_t count = wcsrtombs(to, from, most, state);
    NOW_WRITTEN(SITE, to, stored);
    return count;
}

WRAP(size_t, mbsnrtowcs,
     (wchar_t * to, const char **from, size_t size, size_t most, mbstate_t *state)) {
    WRITE(from, sizeof *from);
    WRITE_IF(state, sizeof *state);
    const char *text = *from;
    struct bounce bounce = bounce_begin(SITE, to, to ? bytes_of(most, WIDE) : 0);
    size_t count = mbsnrtowcs(to ? bounce.buffer : NULL, from, size, most, state);
    if (to && *from) READ(text, (size_t)(*from - text));
    size_t stored = FAILED(count) || !to ? 0 : count + (!*from && count < most);
    bounce_end(SITE, &bounce, bytes_of(stored, WIDE));
    return count;
}

WRAP(size_t, wcsnrtombs,
     (char *to, const wchar_t **from, size_t length, size_t most, mbstate_t *state)) {
    WRITE(from, sizeof *from);
    WRITE_IF(state, sizeof *state);
    const wchar_t *text = *from;
    struct bounce bounce = bounce_begin(SITE, to, to ? most : 0);
    size_t count = wcsnrtombs(to ? bounce.buffer : NULL, from, length, most, state);
    if (to && *from) READ(text, bytes_of((size_t)(*from - text), WIDE));
    size_t stored = FAILED(count) || !to ? 0 : count + (!*from && count < most);
    bounce_end(SITE, &bounce, stored);
    return count;
}

#define TO_BYTES(name, character)                                                                  \
    WRAP(size_t, name, (char *to, character value, mbstate_t *state)) {                            \
        char bytes[MB_LEN_MAX];                                                                    \
        WRITE_IF(state, sizeof *state);                                                            \
        if (!to) return name(to, value, state);                                                    \
        size_t count = name(bytes, value, state);                                                  \
        if (FAILED(count)) return count;                                                           \
        WRITE(to, count);                                                                          \
        FILLS(to, count);                                                                          \
        wh_copy(to, bytes, count);                                                                 \
        return count;                                                                              \
    }

TO_BYTES(c16rtomb, char16_t)
TO_BYTES(c32rtomb, char32_t)

#define FROM_BYTES(name, character)                                                                \
    WRAP(size_t, name, (character * to, const char *from, size_t most, mbstate_t *state)) {        \
        if (from && most) READ(from, 1);                                                           \
        WRITE_IF(to, sizeof *to);                                                                  \
        WRITE_IF(state, sizeof *state);                                                            \
        return name(to, from, most, state);                                                        \
    }

FROM_BYTES(mbrtoc16, char16_t)
FROM_BYTES(mbrtoc32, char32_t)

WRAP(size_t, wcsxfrm, (wchar_t * to, const wchar_t *from, size_t most)) {
    READ_WIDE(from);
    if (most) {
        size_t need = wcsxfrm(NULL, from, 0) + 1;
        WRITE(to, bytes_of(need < most ? need : most, WIDE));
    }
    return wcsxfrm(to, from, most);
}

WRAP(size_t, wcsxfrm_l, (wchar_t * to, const wchar_t *from, size_t most, locale_t locale)) {
    READ_WIDE(from);
    if (most) {
        size_t need = wcsxfrm_l(NULL, from, 0, locale) + 1;
        WRITE(to, bytes_of(need < most ? need : most, WIDE));
    }
    return wcsxfrm_l(to, from, most, locale);
}

WRAP(size_t, wcsftime_l,
     (wchar_t * to, size_t most, const wchar_t *format, const struct tm *parts, locale_t locale)) {
    READ_WIDE(format);
    READ(parts, sizeof *parts);
    struct bounce bounce = bounce_begin(SITE, to, bytes_of(most, WIDE));
    size_t length = wcsftime_l(bounce.buffer, most, format, parts, locale);
    bounce_end(SITE, &bounce, length ? bytes_of(length + 1, WIDE) : 0);
    return length;
}

WRAP(size_t, wcsftime, (wchar_t * to, size_t most, const wchar_t *format, const struct tm *parts)) {
    READ_WIDE(format);
    READ(parts, sizeof *parts);
    struct bounce bounce = bounce_begin(SITE, to, bytes_of(most, WIDE));
    size_t length = wcsftime(bounce.buffer, most, format, parts);
    bounce_end(SITE, &bounce, length ? bytes_of(length + 1, WIDE) : 0);
    return length;
}

/* A null state is an initial one. */
WRAP(int, mbsinit, (const mbstate_t *state)) {
    READ_IF(state, sizeof *state);
    return mbsinit(state);
}

WRAP(int, wcswidth, (const wchar_t *text, size_t most)) {
    READ_WIDE_N(text, most);
    return wcswidth(text, most);
}
