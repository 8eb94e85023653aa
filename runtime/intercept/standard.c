/* stdlib.h and inttypes.h; encodings.c has the multibyte functions. */
#include <stdarg.h>
#include <wchar.h>
#include "check.h"
#include "../process/outside.h"
#include "../process/program.h"
#include "../definedness/elements.h"

#include <execinfo.h>
#include <inttypes.h>
#include <limits.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers in text ---- */

/* The number that a text stands for. */
static uint64_t parsed(struct site site, const char *text, int base, uint64_t number) {
    if (IS_HEARD(parsed))
        announce_parsed(site.function, text, check_end_of_integer(text, base), number);
    return number;
}

#define NUMBER(type, name)                                                                         \
    WRAP(type, name, (const char *text, char **end, int base)) {                                   \
        check_number(SITE, text, check_end_of_integer, base);                                      \
        WRITE_IF(end, sizeof *end);                                                                \
        return (type)parsed(SITE, text, base, (uint64_t)name(text, end, base));                    \
    }

#define REAL(type, name)                                                                           \
    WRAP(type, name, (const char *text, char **end)) {                                             \
        check_number(SITE, text, check_end_of_real, 10);                                           \
        WRITE_IF(end, sizeof *end);                                                                \
        return name(text, end);                                                                    \
    }

/* In the C library from 2.38 on. */
#define NUMBER_C23(type, name)                                                                     \
    type name(const char *, char **, int) __attribute__((weak));                                   \
    NUMBER(type, name)

/* The same in a locale that is given. */
#define NUMBER_IN(type, name)                                                                      \
    WRAP(type, name, (const char *text, char **end, int base, locale_t locale)) {                  \
        check_number(SITE, text, check_end_of_integer, base);                                      \
        WRITE_IF(end, sizeof *end);                                                                \
        return (type)parsed(SITE, text, base, (uint64_t)name(text, end, base, locale));            \
    }

#define NUMBER_IN_C23(type, name)                                                                  \
    type name(const char *, char **, int, locale_t) __attribute__((weak));                         \
    NUMBER_IN(type, name)

#define REAL_IN(type, name)                                                                        \
    WRAP(type, name, (const char *text, char **end, locale_t locale)) {                            \
        check_number(SITE, text, check_end_of_real, 10);                                           \
        WRITE_IF(end, sizeof *end);                                                                \
        return name(text, end, locale);                                                            \
    }

#define SHORT_INTEGER(type, name)                                                                  \
    WRAP(type, name, (const char *text)) {                                                         \
        check_number(SITE, text, check_end_of_integer, 10);                                        \
        return (type)parsed(SITE, text, 10, (uint64_t)name(text));                                 \
    }

NUMBER(long, strtol)
NUMBER(unsigned long, strtoul)
NUMBER(long long, strtoll)
NUMBER(unsigned long long, strtoull)
NUMBER(long long, strtoq)
NUMBER(unsigned long long, strtouq)
NUMBER(intmax_t, strtoimax)
NUMBER(uintmax_t, strtoumax)
NUMBER_C23(long, __isoc23_strtol)
NUMBER_C23(unsigned long, __isoc23_strtoul)
NUMBER_C23(long long, __isoc23_strtoll)
NUMBER_C23(unsigned long long, __isoc23_strtoull)
NUMBER_C23(intmax_t, __isoc23_strtoimax)
NUMBER_C23(uintmax_t, __isoc23_strtoumax)
NUMBER_IN_C23(long, __isoc23_strtol_l)
NUMBER_IN_C23(unsigned long, __isoc23_strtoul_l)
NUMBER_IN_C23(long long, __isoc23_strtoll_l)
NUMBER_IN_C23(unsigned long long, __isoc23_strtoull_l)
REAL(double, strtod)
REAL(float, strtof)
REAL(long double, strtold)
NUMBER_IN(long, strtol_l)
NUMBER_IN(unsigned long, strtoul_l)
NUMBER_IN(long long, strtoll_l)
NUMBER_IN(unsigned long long, strtoull_l)
REAL_IN(double, strtod_l)
REAL_IN(float, strtof_l)
REAL_IN(long double, strtold_l)
SHORT_INTEGER(int, atoi)
SHORT_INTEGER(long, atol)
SHORT_INTEGER(long long, atoll)

WRAP(double, atof, (const char *text)) {
    check_number(SITE, text, check_end_of_real, 10);
    return atof(text);
}

WRAP(long, a64l, (const char *text)) {
    USE_STRING_N(text, 6); /* of a longer one, no more is looked at */
    return a64l(text);
}

/* ---- text of numbers ---- */

#define PLACED_DIGITS(name, type)                                                                  \
    WRAP(char *, name, (type value, int digits, int *point, int *sign)) {                          \
        WRITE(point, sizeof *point);                                                               \
        WRITE(sign, sizeof *sign);                                                                 \
        return name(value, digits, point, sign);                                                   \
    }

PLACED_DIGITS(ecvt, double)
PLACED_DIGITS(fcvt, double)
PLACED_DIGITS(qecvt, long double)
PLACED_DIGITS(qfcvt, long double)

#define DIGITS_INTO(name)                                                                          \
    WRAP(int, name,                                                                                \
         (long double value, int digits, int *point, int *sign, char *to, size_t size)) {          \
        WRITE(point, sizeof *point);                                                               \
        WRITE(sign, sizeof *sign);                                                                 \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        int result = name(value, digits, point, sign, bounce.buffer, size);                        \
        bounce_end(SITE, &bounce, result == 0 ? strlen(bounce.buffer) + 1 : 0);                    \
        return result;                                                                             \
    }

DIGITS_INTO(qecvt_r)
DIGITS_INTO(qfcvt_r)

/* ---- sorting and searching ---- */

WRAP(void, qsort,
     (void *base, size_t count, size_t size, int (*compare)(const void *, const void *))) {
    NOT_NULL(compare || count < 2);
    WRITE(base, bytes_of(count, size));
    struct elements *kept = values_sorting((uintptr_t)base, count, size);
    qsort(base, count, size, compare);
    values_sorted((uintptr_t)base, kept);
}

WRAP(void, qsort_r,
     (void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
      void *argument)) {
    NOT_NULL(compare || count < 2);
    WRITE(base, bytes_of(count, size));
    struct elements *kept = values_sorting((uintptr_t)base, count, size);
    qsort_r(base, count, size, compare, argument);
    values_sorted((uintptr_t)base, kept);
}

WRAP(void *, bsearch,
     (const void *key, const void *base, size_t count, size_t size,
      int (*compare)(const void *, const void *))) {
    READ(base, bytes_of(count, size));
    return bsearch(key, base, count, size, compare);
}

/* ---- environment and names ---- */

#define VALUE(name)                                                                                \
    WRAP(char *, name, (const char *variable)) {                                                   \
        USE_STRING_IF(variable);                                                                   \
        char *value = name(variable);                                                              \
        if (value) announce_lent(NAME, FRAME_HERE, value);                                         \
        return value;                                                                              \
    }

VALUE(getenv)
VALUE(secure_getenv)

WRAP(int, unsetenv, (const char *variable)) {
    USE_STRING_IF(variable);
    return unsetenv(variable);
}

WRAP(int, putenv, (char *string)) {
    USE_STRING(string);
    return putenv(string);
}

WRAP(int, setenv, (const char *name, const char *value, int overwrite)) {
    USE_STRING_IF(name);
    USE_STRING(value);
    return setenv(name, value, overwrite);
}

WRAP(int, system, (const char *command)) {
    USE_STRING_IF(command);
    return system(command);
}

/* What the C library makes of a pattern comes from the time, for which it asks nobody that keeps
 * the answer. */
#define NAMED(type, call)                                                                          \
    ({                                                                                             \
        type result = (call);                                                                      \
        outside_named(pattern);                                                                    \
        result;                                                                                    \
    })

#define TEMPLATE(type, name, made)                                                                 \
    WRAP(type, name, (char *pattern)) {                                                            \
        WRITE(pattern, READ_STRING(pattern) + 1);                                                  \
        return made(NAMED(type, name(pattern)));                                                   \
    }

TEMPLATE(int, mkstemp, OPENED)
TEMPLATE(int, mkstemp64, OPENED)
TEMPLATE(char *, mkdtemp, )
TEMPLATE(char *, mktemp, )

#define TEMPLATE_AND(name)                                                                         \
    WRAP(int, name, (char *pattern, int argument)) {                                               \
        WRITE(pattern, READ_STRING(pattern) + 1);                                                  \
        return OPENED(NAMED(int, name(pattern, argument)));                                        \
    }

TEMPLATE_AND(mkostemp)
TEMPLATE_AND(mkostemp64)
TEMPLATE_AND(mkstemps)
TEMPLATE_AND(mkstemps64)

WRAP(int, mkostemps, (char *pattern, int suffix, int flags)) {
    WRITE(pattern, READ_STRING(pattern) + 1);
    return OPENED(NAMED(int, mkostemps(pattern, suffix, flags)));
}

WRAP(int, getsubopt, (char **options, char *const *names, char **value)) {
    WRITE(options, sizeof *options);
    READ_STRING(*options);
    WRITE(value, sizeof *value);
    return getsubopt(options, names, value);
}

/* libgen.h */
#define PART_OF_PATH(name)                                                                         \
    WRAP(char *, name, (char *path)) {                                                             \
        READ_STRING_IF(path);                                                                      \
        return name(path);                                                                         \
    }

PART_OF_PATH(dirname)
PART_OF_PATH(__xpg_basename)

WRAP(int, rand_r, (unsigned *state)) {
    WRITE(state, sizeof *state);
    check_used(SITE, state, sizeof *state);
    return rand_r(state);
}

WRAP(char *, canonicalize_file_name, (const char *path)) {
    USE_STRING_IF(path);
    return canonicalize_file_name(program_meant(path));
}

WRAP(char *, realpath, (const char *path, char *resolved)) {
    READ_STRING_IF(path);
    char *result = realpath(program_meant(path), resolved);
    if (result && result == resolved) WROTE(resolved, strlen(resolved) + 1);
    return result;
}

char *__realpath_chk(const char *, char *, size_t);
WRAP(char *, __realpath_chk, (const char *path, char *resolved, size_t room)) {
    READ_STRING_IF(path);
    char *result = __realpath_chk(program_meant(path), resolved, room);
    if (result && result == resolved) WROTE(resolved, strlen(resolved) + 1);
    return result;
}

/* ---- execinfo.h ---- */

#define BACKTRACE_MOST 512

/* The C library counts the wrapper's frame, too. */
WRAP(int, backtrace, (void **frames, int most)) {
    void *found[BACKTRACE_MOST + 1];
    if (most <= 0) return backtrace(frames, most);
    int count = backtrace(found, most < BACKTRACE_MOST ? most + 1 : BACKTRACE_MOST + 1) - 1;
    if (count <= 0) return 0;
    WRITE(frames, (size_t)count * sizeof *frames);
    FILLS(frames, (size_t)count * sizeof *frames);
    wh_copy(frames, found + 1, (size_t)count * sizeof *frames);
    return count;
}

WRAP(char **, backtrace_symbols, (void *const *frames, int count)) {
    if (count > 0) USE(frames, (size_t)count * sizeof *frames);
    return backtrace_symbols(frames, count);
}

WRAP(void, backtrace_symbols_fd, (void *const *frames, int count, int file)) {
    if (count > 0) USE(frames, (size_t)count * sizeof *frames);
    backtrace_symbols_fd(frames, count, file);
}

/* ---- numbers to text ---- */

#define GCVT_MOST 64 /* it gives 17 digits, whatever it is asked for */

WRAP(char *, gcvt, (double value, int digits, char *to)) {
    char text[GCVT_MOST];
    size_t size = strlen(gcvt(value, digits, text)) + 1;
    WRITE(to, size);
    FILLS(to, size);
    wh_copy(to, text, size);
    return to;
}

#define DIGITS(name)                                                                               \
    WRAP(int, name, (double value, int digits, int *point, int *sign, char *to, size_t size)) {    \
        WRITE(point, sizeof *point);                                                               \
        WRITE(sign, sizeof *sign);                                                                 \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        int error = name(value, digits, point, sign, bounce.buffer, size);                         \
        bounce_end(SITE, &bounce, error ? 0 : strlen(bounce.buffer) + 1);                          \
        return error;                                                                              \
    }

DIGITS(ecvt_r)
DIGITS(fcvt_r)

#define TEXT_OF(name, type)                                                                        \
    WRAP(int, name, (char *to, size_t size, const char *format, type value)) {                     \
        USE_STRING(format);                                                                        \
        int length = name(NULL, 0, format, value);                                                 \
        if (size && length >= 0) WRITE(to, (size_t)length < size ? (size_t)length + 1 : size);     \
        return name(to, size, format, value);                                                      \
    }

TEXT_OF(strfromf, float)
TEXT_OF(strfromd, double)
TEXT_OF(strfroml, long double)
