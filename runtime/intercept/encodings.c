/* wchar.h, uchar.h: text in other encodings, and wide text of a length that is given. */
#include <stdarg.h>
#include <wchar.h>
#include "check.h"
#include "../os/mem.h"

#include <inttypes.h>
#include <limits.h>
#include <time.h>
#include <uchar.h>

#define WIDE sizeof(wchar_t)
#define FAILED(count) ((count) == (size_t)-1)

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
