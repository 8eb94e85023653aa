/* wchar.h: wide strings. */
#include <stdarg.h>
#include <wchar.h>
#include "check.h"

#include <inttypes.h>
#include <wctype.h>

#define WIDE sizeof(wchar_t)

/* ---- runs ---- */

#define WIDE_APART(to, count, from) APART(to, bytes_of(count, WIDE), from, bytes_of(count, WIDE))
#define WIDE_RANGES_APART(to, count, from) RANGES_APART(to, from, bytes_of(count, WIDE))
#define MAY_OVERLAP(to, count, from) (void)0

#define COPY(name, apart)                                                                          \
    WRAP(wchar_t *, name, (wchar_t * to, const wchar_t *from, size_t count)) {                     \
        READ(from, bytes_of(count, WIDE));                                                         \
        WRITE(to, bytes_of(count, WIDE));                                                          \
        apart(to, count, from);                                                                    \
        COPIES(to, from, bytes_of(count, WIDE));                                                   \
        return name(to, from, count);                                                              \
    }

COPY(wmemcpy, WIDE_RANGES_APART)
COPY(wmemmove, MAY_OVERLAP)
COPY(wmempcpy, WIDE_RANGES_APART)

WRAP(wchar_t *, wmemset, (wchar_t * to, wchar_t value, size_t count)) {
    WRITE(to, bytes_of(count, WIDE));
    FILLS(to, bytes_of(count, WIDE));
    return wmemset(to, value, count);
}

WRAP(int, wmemcmp, (const wchar_t *a, const wchar_t *b, size_t count)) {
    READ(a, bytes_of(count, WIDE));
    READ(b, bytes_of(count, WIDE));
    check_compared(SITE, a, b, bytes_of(count, WIDE));
    return wmemcmp(a, b, count);
}

WRAP(wchar_t *, wmemchr, (const wchar_t *from, wchar_t value, size_t count)) {
    size_t read = 0;
    while (read < count && access_clean((uintptr_t)&from[read], WIDE) && from[read] != value)
        read++;
    READ(from, bytes_of(read < count ? read + 1 : read, WIDE));
    return wmemchr(from, value, count);
}

/* ---- strings ---- */

/* The length of a string that decides what happens next. Text that was never written may have no
 * end: its first character comes first. */
static size_t use_wide(struct site site, const wchar_t *string) {
    if (access_clean((uintptr_t)string, WIDE)) check_used(site, string, WIDE);
    size_t length = check_wide(site, string, NO_LIMIT);
    check_used(site, string, bytes_of(length + 1, WIDE));
    return length;
}

WRAP(size_t, wcslen, (const wchar_t *string)) {
    use_wide(SITE, string);
    return wcslen(string);
}

WRAP(size_t, wcsnlen, (const wchar_t *string, size_t most)) {
    READ_WIDE_N(string, most);
    return wcsnlen(string, most);
}

#define COPY_WIDE(to, from)                                                                        \
    size_t copied = READ_WIDE(from) + 1;                                                           \
    WRITE(to, bytes_of(copied, WIDE));                                                             \
    WIDE_APART(to, copied, from);                                                                  \
    COPIES(to, from, bytes_of(copied, WIDE))

#define APPEND_WIDE(to, from, most)                                                                \
    size_t length = use_wide(SITE, to), count = READ_WIDE_N(from, most);                           \
    WRITE_AT((to) + length, bytes_of(count + 1, WIDE), to);                                        \
    APART((to) + length, bytes_of(count + 1, WIDE), from,                                          \
          bytes_of(count < (most) ? count + 1 : count, WIDE));                                     \
    COPIES((to) + length, from, bytes_of(count, WIDE));                                            \
    FILLS((to) + length + count, WIDE)

WRAP(wchar_t *, wcscpy, (wchar_t * to, const wchar_t *from)) {
    COPY_WIDE(to, from);
    return wcscpy(to, from);
}

WRAP(wchar_t *, wcpcpy, (wchar_t * to, const wchar_t *from)) {
    COPY_WIDE(to, from);
    return wcpcpy(to, from);
}

WRAP(wchar_t *, wcsncpy, (wchar_t * to, const wchar_t *from, size_t count)) {
    size_t length = READ_WIDE_N(from, count), copied = length < count ? length + 1 : count;
    WRITE(to, bytes_of(count, WIDE));
    WIDE_APART(to, copied, from);
    COPIES(to, from, bytes_of(copied, WIDE));
    FILLS(to + copied, bytes_of(count - copied, WIDE));
    return wcsncpy(to, from, count);
}

WRAP(wchar_t *, wcpncpy, (wchar_t * to, const wchar_t *from, size_t count)) {
    size_t length = READ_WIDE_N(from, count), copied = length < count ? length + 1 : count;
    WRITE(to, bytes_of(count, WIDE));
    WIDE_APART(to, copied, from);
    COPIES(to, from, bytes_of(copied, WIDE));
    FILLS(to + copied, bytes_of(count - copied, WIDE));
    return wcpncpy(to, from, count);
}

WRAP(wchar_t *, wcscat, (wchar_t * to, const wchar_t *from)) {
    APPEND_WIDE(to, from, NO_LIMIT);
    return wcscat(to, from);
}

WRAP(wchar_t *, wcsncat, (wchar_t * to, const wchar_t *from, size_t most)) {
    APPEND_WIDE(to, from, most);
    return wcsncat(to, from, most);
}

WRAP(wchar_t *, wcsdup, (const wchar_t *string)) {
    READ_WIDE(string);
    return wcsdup(string);
}

/* Reads both up to the first difference. */
static void check_wide_compare(struct site site, const wchar_t *a, const wchar_t *b, size_t most) {
    for (size_t i = 0; i < most; i++) {
        int a_clean = access_clean((uintptr_t)&a[i], WIDE);
        int b_clean = access_clean((uintptr_t)&b[i], WIDE);
        if (!a_clean) check_range(site, a, (i + 1) * WIDE, 0, a);
        if (!b_clean) check_range(site, b, (i + 1) * WIDE, 0, b);
        if (!a_clean || !b_clean || a[i] != b[i] || !a[i]) return;
    }
}

WRAP(int, wcscmp, (const wchar_t *a, const wchar_t *b)) {
    check_wide_compare(SITE, a, b, NO_LIMIT);
    return wcscmp(a, b);
}

WRAP(int, wcsncmp, (const wchar_t *a, const wchar_t *b, size_t most)) {
    check_wide_compare(SITE, a, b, most);
    return wcsncmp(a, b, most);
}

#define STRING_AND_CHARACTER(name)                                                                 \
    WRAP(wchar_t *, name, (const wchar_t *string, wchar_t value)) {                                \
        READ_WIDE(string);                                                                         \
        return name(string, value);                                                                \
    }

STRING_AND_CHARACTER(wcschr)
STRING_AND_CHARACTER(wcsrchr)
STRING_AND_CHARACTER(wcschrnul)

#define TWO_STRINGS(type, name)                                                                    \
    WRAP(type, name, (const wchar_t *a, const wchar_t *b)) {                                       \
        READ_WIDE(a);                                                                              \
        READ_WIDE(b);                                                                              \
        return name(a, b);                                                                         \
    }

TWO_STRINGS(wchar_t *, wcsstr)
TWO_STRINGS(wchar_t *, wcspbrk)
TWO_STRINGS(size_t, wcsspn)
TWO_STRINGS(size_t, wcscspn)
TWO_STRINGS(int, wcscoll)
TWO_STRINGS(int, wcscasecmp)

#define TWO_STRINGS_IN(name)                                                                       \
    WRAP(int, name, (const wchar_t *a, const wchar_t *b, locale_t locale)) {                       \
        READ_WIDE(a);                                                                              \
        READ_WIDE(b);                                                                              \
        return name(a, b, locale);                                                                 \
    }

TWO_STRINGS_IN(wcscoll_l)
TWO_STRINGS_IN(wcscasecmp_l)

/* Up to the first difference, and no more than `most`. */
static void check_wide_cases(struct site site, const wchar_t *a, const wchar_t *b, size_t most) {
    for (size_t i = 0; i < most; i++) {
        int a_clean = access_clean((uintptr_t)&a[i], WIDE);
        int b_clean = access_clean((uintptr_t)&b[i], WIDE);
        if (!a_clean) check_range(site, a, (i + 1) * WIDE, 0, a);
        if (!b_clean) check_range(site, b, (i + 1) * WIDE, 0, b);
        if (!a_clean || !b_clean || !a[i] || !b[i]) return;
        if (towlower((wint_t)a[i]) != towlower((wint_t)b[i])) return;
    }
}

WRAP(int, wcsncasecmp, (const wchar_t *a, const wchar_t *b, size_t most)) {
    check_wide_cases(SITE, a, b, most);
    return wcsncasecmp(a, b, most);
}

WRAP(int, wcsncasecmp_l, (const wchar_t *a, const wchar_t *b, size_t most, locale_t locale)) {
    check_wide_cases(SITE, a, b, most);
    return wcsncasecmp_l(a, b, most, locale);
}

WRAP(wchar_t *, wcstok, (wchar_t * string, const wchar_t *set, wchar_t **rest)) {
    READ_WIDE(set);
    WRITE(rest, sizeof *rest);
    if (string)
        READ_WIDE(string);
    else if (*rest)
        READ_WIDE(*rest);
    return wcstok(string, set, rest);
}

/* ---- numbers ---- */

#define NUMBER(type, name)                                                                         \
    WRAP(type, name, (const wchar_t *text, wchar_t **end, int base)) {                             \
        check_wide_number(SITE, text, check_end_of_integer, base);                                 \
        WRITE_IF(end, sizeof *end);                                                                \
        return name(text, end, base);                                                              \
    }

#define REAL(type, name)                                                                           \
    WRAP(type, name, (const wchar_t *text, wchar_t **end)) {                                       \
        check_wide_number(SITE, text, check_end_of_real, 10);                                      \
        WRITE_IF(end, sizeof *end);                                                                \
        return name(text, end);                                                                    \
    }

/* The same in a locale that is given. */
#define NUMBER_IN(type, name)                                                                      \
    WRAP(type, name, (const wchar_t *text, wchar_t **end, int base, locale_t locale)) {            \
        check_wide_number(SITE, text, check_end_of_integer, base);                                 \
        WRITE_IF(end, sizeof *end);                                                                \
        return name(text, end, base, locale);                                                      \
    }

#define REAL_IN(type, name)                                                                        \
    WRAP(type, name, (const wchar_t *text, wchar_t **end, locale_t locale)) {                      \
        check_wide_number(SITE, text, check_end_of_real, 10);                                      \
        WRITE_IF(end, sizeof *end);                                                                \
        return name(text, end, locale);                                                            \
    }

/* In the C library from 2.38 on. */
#define NUMBER_C23(type, name)                                                                     \
    type name(const wchar_t *, wchar_t **, int) __attribute__((weak));                             \
    NUMBER(type, name)

#define NUMBER_IN_C23(type, name)                                                                  \
    type name(const wchar_t *, wchar_t **, int, locale_t) __attribute__((weak));                   \
    NUMBER_IN(type, name)

NUMBER(long, wcstol)
NUMBER(intmax_t, wcstoimax)
NUMBER(uintmax_t, wcstoumax)
NUMBER(long long, wcstoq)
NUMBER(unsigned long long, wcstouq)
NUMBER_IN(long, wcstol_l)
NUMBER_IN(unsigned long, wcstoul_l)
NUMBER_IN(long long, wcstoll_l)
NUMBER_IN(unsigned long long, wcstoull_l)
REAL_IN(double, wcstod_l)
REAL_IN(float, wcstof_l)
REAL_IN(long double, wcstold_l)
NUMBER_C23(long, __isoc23_wcstol)
NUMBER_C23(unsigned long, __isoc23_wcstoul)
NUMBER_C23(long long, __isoc23_wcstoll)
NUMBER_C23(unsigned long long, __isoc23_wcstoull)
NUMBER_C23(intmax_t, __isoc23_wcstoimax)
NUMBER_C23(uintmax_t, __isoc23_wcstoumax)
NUMBER_IN_C23(long, __isoc23_wcstol_l)
NUMBER_IN_C23(unsigned long, __isoc23_wcstoul_l)
NUMBER_IN_C23(long long, __isoc23_wcstoll_l)
NUMBER_IN_C23(unsigned long long, __isoc23_wcstoull_l)
NUMBER(unsigned long, wcstoul)
NUMBER(long long, wcstoll)
NUMBER(unsigned long long, wcstoull)
REAL(double, wcstod)
REAL(float, wcstof)
REAL(long double, wcstold)

/* ---- with the destination's size known to the compiler; it counts wide characters ---- */

#define CHECKED_COPY(name, apart)                                                                  \
    wchar_t *name(wchar_t *, const wchar_t *, size_t, size_t);                                     \
    WRAP(wchar_t *, name, (wchar_t * to, const wchar_t *from, size_t count, size_t room)) {        \
        READ(from, bytes_of(count, WIDE));                                                         \
        WRITE(to, bytes_of(count, WIDE));                                                          \
        apart(to, count, from);                                                                    \
        COPIES(to, from, bytes_of(count, WIDE));                                                   \
        return name(to, from, count, room);                                                        \
    }

CHECKED_COPY(__wmemcpy_chk, WIDE_RANGES_APART)
CHECKED_COPY(__wmemmove_chk, MAY_OVERLAP)
CHECKED_COPY(__wmempcpy_chk, WIDE_RANGES_APART)

wchar_t *__wmemset_chk(wchar_t *, wchar_t, size_t, size_t);
WRAP(wchar_t *, __wmemset_chk, (wchar_t * to, wchar_t value, size_t count, size_t room)) {
    WRITE(to, bytes_of(count, WIDE));
    FILLS(to, bytes_of(count, WIDE));
    return __wmemset_chk(to, value, count, room);
}

wchar_t *__wcscpy_chk(wchar_t *, const wchar_t *, size_t);
WRAP(wchar_t *, __wcscpy_chk, (wchar_t * to, const wchar_t *from, size_t room)) {
    COPY_WIDE(to, from);
    return __wcscpy_chk(to, from, room);
}

wchar_t *__wcsncpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
WRAP(wchar_t *, __wcsncpy_chk, (wchar_t * to, const wchar_t *from, size_t count, size_t room)) {
    size_t length = READ_WIDE_N(from, count), copied = length < count ? length + 1 : count;
    WRITE(to, bytes_of(count, WIDE));
    WIDE_APART(to, copied, from);
    COPIES(to, from, bytes_of(copied, WIDE));
    FILLS(to + copied, bytes_of(count - copied, WIDE));
    return __wcsncpy_chk(to, from, count, room);
}

wchar_t *__wcscat_chk(wchar_t *, const wchar_t *, size_t);
WRAP(wchar_t *, __wcscat_chk, (wchar_t * to, const wchar_t *from, size_t room)) {
    APPEND_WIDE(to, from, NO_LIMIT);
    return __wcscat_chk(to, from, room);
}
