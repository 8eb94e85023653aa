/* wchar.h: wprintf and wscanf in every form. */
#include <stdarg.h>
#include <wchar.h>
#include "check.h"
#include "format.h"

#include <stdio.h>

#define WIDE sizeof(wchar_t)

/* ---- formats ---- */

/* Of a longer format, the conversions in so many characters are followed. */
#define NARROW_ROOM 1024

static void check_wprintf(struct site site, const wchar_t *format, va_list arguments) {
    char room[NARROW_ROOM];
    check_wide(site, format, NO_LIMIT);
    check_printed(site, format ? format_narrow(format, room, NARROW_ROOM) : "", arguments);
}

static void check_wscanned(struct site site, const wchar_t *format, va_list arguments,
                           int assigned) {
    char room[NARROW_ROOM];
    if (format) check_scanned(site, format_narrow(format, room, NARROW_ROOM), arguments, assigned);
}

/* ---- printf ---- */

#define PRINT(name, parameters, call)                                                              \
    WRAP(int, name, parameters) {                                                                  \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        check_wprintf(SITE, format, arguments);                                                    \
        int length = call;                                                                         \
        va_end(arguments);                                                                         \
        return length;                                                                             \
    }

#define PRINT_LIST(name, parameters, call)                                                         \
    WRAP(int, name, parameters) {                                                                  \
        check_wprintf(SITE, format, arguments);                                                    \
        return call;                                                                               \
    }

int __vwprintf_chk(int, const wchar_t *, va_list);
int __vfwprintf_chk(FILE *, int, const wchar_t *, va_list);
int __vswprintf_chk(wchar_t *, size_t, int, size_t, const wchar_t *, va_list);

PRINT(wprintf, (const wchar_t *format, ...), vwprintf(format, arguments))
PRINT(fwprintf, (FILE * stream, const wchar_t *format, ...),
      (STREAM(stream), vfwprintf(stream, format, arguments)))
PRINT_LIST(vwprintf, (const wchar_t *format, va_list arguments), vwprintf(format, arguments))
PRINT_LIST(vfwprintf, (FILE * stream, const wchar_t *format, va_list arguments),
           (STREAM(stream), vfwprintf(stream, format, arguments)))
PRINT(__wprintf_chk, (int flag, const wchar_t *format, ...),
      __vwprintf_chk(flag, format, arguments))
PRINT(__fwprintf_chk, (FILE * stream, int flag, const wchar_t *format, ...),
      (STREAM(stream), __vfwprintf_chk(stream, flag, format, arguments)))
PRINT_LIST(__vwprintf_chk, (int flag, const wchar_t *format, va_list arguments),
           __vwprintf_chk(flag, format, arguments))
PRINT_LIST(__vfwprintf_chk, (FILE * stream, int flag, const wchar_t *format, va_list arguments),
           (STREAM(stream), __vfwprintf_chk(stream, flag, format, arguments)))

/* How much is written is known afterwards. */
static int written(struct site site, const wchar_t *to, int length) {
    if (length >= 0) check_range(site, to, times((size_t)length + 1, WIDE), 1, to);
    return length;
}

#define PRINT_INTO(name, parameters, call) PRINT(name, parameters, written(SITE, to, call))
#define PRINT_INTO_LIST(name, parameters, call)                                                    \
    PRINT_LIST(name, parameters, written(SITE, to, call))

PRINT_INTO(swprintf, (wchar_t * to, size_t count, const wchar_t *format, ...),
           vswprintf(to, count, format, arguments))
PRINT_INTO(__swprintf_chk,
           (wchar_t * to, size_t count, int flag, size_t room, const wchar_t *format, ...),
           __vswprintf_chk(to, count, flag, room, format, arguments))
PRINT_INTO_LIST(vswprintf, (wchar_t * to, size_t count, const wchar_t *format, va_list arguments),
                vswprintf(to, count, format, arguments))
PRINT_INTO_LIST(__vswprintf_chk,
                (wchar_t * to, size_t count, int flag, size_t room, const wchar_t *format,
                 va_list arguments),
                __vswprintf_chk(to, count, flag, room, format, arguments))

/* ---- scanf ---- */

#define SCAN_LIST(name, parameters, call)                                                          \
    WRAP(int, name, parameters) {                                                                  \
        va_list again;                                                                             \
        va_copy(again, arguments);                                                                 \
        READ_WIDE(format);                                                                         \
        int assigned = call;                                                                       \
        check_wscanned(SITE, format, again, assigned);                                             \
        va_end(again);                                                                             \
        return assigned;                                                                           \
    }

#define SCAN(name, parameters, call)                                                               \
    WRAP(int, name, parameters) {                                                                  \
        va_list arguments, again;                                                                  \
        va_start(arguments, format);                                                               \
        va_copy(again, arguments);                                                                 \
        READ_WIDE(format);                                                                         \
        int assigned = call;                                                                       \
        check_wscanned(SITE, format, again, assigned);                                             \
        va_end(again);                                                                             \
        va_end(arguments);                                                                         \
        return assigned;                                                                           \
    }

/* The names that the C library's header gives the functions, by C standard. */
#define SCAN_FAMILY(prefix, attribute)                                                             \
    int prefix##vwscanf(const wchar_t *, va_list) attribute;                                       \
    int prefix##vfwscanf(FILE *, const wchar_t *, va_list) attribute;                              \
    int prefix##vswscanf(const wchar_t *, const wchar_t *, va_list) attribute;                     \
    SCAN(prefix##wscanf, (const wchar_t *format, ...), prefix##vwscanf(format, arguments))         \
    SCAN(prefix##fwscanf, (FILE * stream, const wchar_t *format, ...),                             \
         (STREAM(stream), prefix##vfwscanf(stream, format, arguments)))                            \
    SCAN(prefix##swscanf, (const wchar_t *text, const wchar_t *format, ...),                       \
         (READ_WIDE(text), prefix##vswscanf(text, format, arguments)))                             \
    SCAN_LIST(prefix##vwscanf, (const wchar_t *format, va_list arguments),                         \
              prefix##vwscanf(format, arguments))                                                  \
    SCAN_LIST(prefix##vfwscanf, (FILE * stream, const wchar_t *format, va_list arguments),         \
              (STREAM(stream), prefix##vfwscanf(stream, format, arguments)))                       \
    SCAN_LIST(prefix##vswscanf, (const wchar_t *text, const wchar_t *format, va_list arguments),   \
              (READ_WIDE(text), prefix##vswscanf(text, format, arguments)))

#define ALWAYS_THERE
#define SINCE_2_38 __attribute__((weak))

SCAN_FAMILY(, ALWAYS_THERE)
SCAN_FAMILY(__isoc99_, ALWAYS_THERE)
SCAN_FAMILY(__isoc23_, SINCE_2_38)
