/* stdio.h: printf and scanf in every form. */
#include "counted.h"
#include "format.h"
#include "../rt/uses.h"
#include "formatted.h"
#include "printed.h"

#include <err.h>
#include <syslog.h>

#define CHARACTER char
#define CHECK_PRINTF check_printf
#define CHECK_SCANNED check_scanned
#define READ_TEXT READ_STRING
#define NARROW_INTAKE(from) (from)
#define NARROW_LEFT left_as_text
#define COUNTING(counting, asked, arguments)                                                       \
    struct counting counting;                                                                      \
    counting_begin(&counting, asked, arguments, IS_HEARD(taken))

/* ---- what they read and store through their arguments ---- */

/* The format and the strings that a printf reads, each with its final 0 if that is read. */
struct sources {
    size_t count;
    struct {
        const void *begin;
        size_t size;
    } of[FORMAT_MOST + 1];
};

static void add_source(struct site site, struct sources *sources, const void *begin, size_t count,
                       size_t most, size_t unit) {
    size_t size = bytes_of(count < most ? count + 1 : count, unit);
    sources->of[sources->count].begin = begin;
    sources->of[sources->count++].size = size;
    if (VALUES_ON && access_clean((uintptr_t)begin, size)) check_used_bytes(site, begin, size);
}

/* A list of the program's: the numbers and pointers in it decide what is printed. Those that a
 * function with variable arguments gets itself were looked at by its caller, if that is checked
 * code; a tool knows the bits of those. */
static void check_listed(struct site site, const char *format, va_list arguments) {
    int is_own = (uintptr_t)arguments->reg_save_area < (uintptr_t)site.frame;
    if (is_own && !PORT_OBSERVED) return;
    struct format_place places[FORMAT_MOST];
    size_t count = format_printf_places(format, arguments, places);
    for (size_t i = 0; i < count; i++)
        if (is_own)
            use_argument((uintptr_t)places[i].begin, places[i].size, site.frame);
        else
            check_used_bytes(site, places[i].begin, places[i].size);
}

static void check_strings(struct site site, const char *format, va_list arguments,
                          struct sources *sources) {
    struct format_value values[FORMAT_MOST];
    if (VALUES_ON) check_listed(site, format, arguments);
    size_t count = format_printf_values(format, arguments, values);
    for (size_t i = 0; i < count; i++) {
        const struct format_value *value = &values[i];
        size_t most = value->precision < 0 ? NO_LIMIT : (size_t)value->precision;
        if (value->item.kind == FORMAT_STORE)
            check_range(site, value->pointer, value->item.size, 1, value->pointer);
        else if (!value->pointer)
            continue; /* printed as (null) */
        else if (value->item.kind == FORMAT_WIDE_STRING)
            add_source(site, sources, value->pointer, check_wide(site, value->pointer, most), most,
                       sizeof(wchar_t));
        else
            add_source(site, sources, value->pointer, check_until(site, value->pointer, 0, most),
                       most, 1);
    }
}

static void check_sources(struct site site, const char *format, va_list arguments,
                          struct sources *sources) {
    sources->count = 0;
    add_source(site, sources, format, check_until(site, format, 0, NO_LIMIT), NO_LIMIT, 1);
    check_strings(site, format, arguments, sources);
}

void check_printed(struct site site, const char *format, va_list arguments) {
    struct sources sources;
    sources.count = 0;
    check_strings(site, format, arguments, &sources);
}

void check_printf(struct site site, const char *format, va_list arguments) {
    struct sources sources;
    check_sources(site, format, arguments, &sources);
}

/* How many bytes were stored. */
static size_t size_set(const struct format_value *value) {
    const char *pointer = value->pointer;
    size_t size = value->item.size, count = 0;
    if (value->item.kind == FORMAT_MAKE) return sizeof(void *);
    if (value->item.kind != FORMAT_SET) return size;
    if (value->item.conversion == 'c' || value->item.conversion == 'C')
        return bytes_of(value->item.width < 0 ? 1 : (size_t)value->item.width, size);
    if (size == 1) {
        int found;
        count = readable_until(pointer, 0, NO_LIMIT, &found);
        return found ? count : count + 1;
    }
    while (access_clean((uintptr_t)pointer + count * size, size) &&
           ((const wchar_t *)(const void *)pointer)[count])
        count++;
    return bytes_of(count + 1, size);
}

static void tell_stored(struct site site, struct intake *intake, const struct format_value *value,
                        size_t size, const struct counting *counting, size_t number) {
    struct taken_part part = {value->pointer, size, COUNTED_UNKNOWN, COUNTED_UNKNOWN, 0, 0};
    part.is_text = value->item.size == 1 && value->item.kind == FORMAT_SET;
    part.is_outside = !intake->text;
    if (counting && number < FORMAT_MOST)
        part.begin = counting->begins[number], part.end = counting->ends[number];
    announce_stored(site.function, site.frame, intake, &part);
}

void check_scanned(struct site site, const char *format, va_list arguments, int assigned,
                   struct intake *intake, const struct counting *counting) {
    struct format_value values[FORMAT_MOST];
    size_t count = format_scanf_values(format, arguments, values);
    for (size_t i = 0, stored = 0; i < count && assigned > 0; i++) {
        size_t size = size_set(&values[i]);
        check_range(site, values[i].pointer, size, 1, values[i].pointer);
        if (values[i].item.conversion == 'n') continue;
        if (IS_HEARD(stored)) tell_stored(site, intake, &values[i], size, counting, stored);
        stored++;
        assigned--;
    }
}

/* ---- printf to a stream or a file ---- */

PRINT_FAMILY()

PRINT_TO(dprintf, (int file, const char *format, ...), NULL, file,
         vdprintf(file, format, arguments))
PRINT_LIST_TO(vdprintf, (int file, const char *format, va_list arguments), NULL, file,
              vdprintf(file, format, arguments))

int __vdprintf_chk(int, int, const char *, va_list);
PRINT_TO(__dprintf_chk, (int file, int flag, const char *format, ...), NULL, file,
         __vdprintf_chk(file, flag, format, arguments))
PRINT_LIST_TO(__vdprintf_chk, (int file, int flag, const char *format, va_list arguments), NULL,
              file, __vdprintf_chk(file, flag, format, arguments))

/* ---- printf to the system's log and to standard error ---- */

#define PRINT_VOID(name, parameters, call)                                                         \
    WRAP(void, name, parameters) {                                                                 \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        if (format) check_printf(SITE, format, arguments);                                         \
        call;                                                                                      \
        va_end(arguments);                                                                         \
    }

#define PRINT_VOID_LIST(name, parameters, call)                                                    \
    WRAP(void, name, parameters) {                                                                 \
        if (format) check_printf(SITE, format, arguments);                                         \
        call;                                                                                      \
    }

void __vsyslog_chk(int, int, const char *, va_list);
PRINT_VOID(syslog, (int priority, const char *format, ...), vsyslog(priority, format, arguments))
PRINT_VOID(__syslog_chk, (int priority, int flag, const char *format, ...),
           __vsyslog_chk(priority, flag, format, arguments))
PRINT_VOID_LIST(vsyslog, (int priority, const char *format, va_list arguments),
                vsyslog(priority, format, arguments))
PRINT_VOID_LIST(__vsyslog_chk, (int priority, int flag, const char *format, va_list arguments),
                __vsyslog_chk(priority, flag, format, arguments))
PRINT_VOID(warn, (const char *format, ...), vwarn(format, arguments))
PRINT_VOID(warnx, (const char *format, ...), vwarnx(format, arguments))
PRINT_VOID(err, (int status, const char *format, ...), verr(status, format, arguments))
PRINT_VOID(errx, (int status, const char *format, ...), verrx(status, format, arguments))
PRINT_VOID_LIST(vwarn, (const char *format, va_list arguments), vwarn(format, arguments))
PRINT_VOID_LIST(vwarnx, (const char *format, va_list arguments), vwarnx(format, arguments))
PRINT_VOID_LIST(verr, (int status, const char *format, va_list arguments),
                verr(status, format, arguments))
PRINT_VOID_LIST(verrx, (int status, const char *format, va_list arguments),
                verrx(status, format, arguments))

/* ---- printf to fresh memory ---- */

#define NEW_PRINTED(first)                                                                         \
    (length >= 0 ? (NOW_WRITTEN(SITE, *result, (size_t)length + 1),                                \
                    PRINTED_INTO(*result, NO_LIMIT, length, first, again))                         \
                 : (void)0)

#define PRINT_NEW(name, parameters, first, call)                                                   \
    WRAP(int, name, parameters) {                                                                  \
        va_list arguments, again;                                                                  \
        va_start(arguments, format);                                                               \
        va_copy(again, arguments);                                                                 \
        WRITE(result, sizeof *result);                                                             \
        check_printf(SITE, format, arguments);                                                     \
        int length = call;                                                                         \
        NEW_PRINTED(first);                                                                        \
        va_end(again);                                                                             \
        va_end(arguments);                                                                         \
        return length;                                                                             \
    }

#define PRINT_NEW_LIST(name, parameters, call)                                                     \
    WRAP(int, name, parameters) {                                                                  \
        va_list again;                                                                             \
        va_copy(again, arguments);                                                                 \
        WRITE(result, sizeof *result);                                                             \
        check_printf(SITE, format, arguments);                                                     \
        int length = call;                                                                         \
        NEW_PRINTED(GIVEN_LIST);                                                                   \
        va_end(again);                                                                             \
        return length;                                                                             \
    }

int __vasprintf_chk(char **, int, const char *, va_list);
PRINT_NEW(asprintf, (char **result, const char *format, ...), 2,
          vasprintf(result, format, arguments))
PRINT_NEW(__asprintf_chk, (char **result, int flag, const char *format, ...), 3,
          __vasprintf_chk(result, flag, format, arguments))
PRINT_NEW_LIST(vasprintf, (char **result, const char *format, va_list arguments),
               vasprintf(result, format, arguments))
PRINT_NEW_LIST(__vasprintf_chk, (char **result, int flag, const char *format, va_list arguments),
               __vasprintf_chk(result, flag, format, arguments))

/* ---- printf to memory ---- */

#define SURE_MOST 4096u

/* Bytes at `to` that are certainly accessible, at most `size`. */
static size_t sure_room(const char *to, size_t size) {
    uintptr_t begin = (uintptr_t)to;
    return port_first_bad(begin, size < SURE_MOST ? size : SURE_MOST) - begin;
}

/* Bytes at `to` that no source has, at most `size`. */
static size_t room_apart(const char *to, size_t size, const struct sources *sources) {
    uintptr_t at = (uintptr_t)to;
    for (size_t i = 0; i < sources->count; i++) {
        uintptr_t begin = (uintptr_t)sources->of[i].begin;
        if (begin <= at && at - begin < sources->of[i].size) return 0;
        if (begin > at && begin - at < size && sources->of[i].size) size = begin - at;
    }
    return size;
}

/* What can be written without a closer look. */
static size_t plain_room(const char *to, size_t size, const struct sources *sources) {
    return sure_room(to, room_apart(to, size, sources));
}

/* A text of `length` bytes is about to be written, at most `size` with its final 0. */
static void check_text(struct site site, const char *to, size_t length, size_t size,
                       const struct sources *sources) {
    size_t written = length < size ? length + 1 : size;
    check_range(site, to, written, 1, to);
    for (size_t i = 0; i < sources->count; i++)
        check_apart(site, to, written, sources->of[i].begin, sources->of[i].size);
}

/* A text of `length` bytes has been written, at most `size` with its final 0. */
static int filled(struct site site, char *to, size_t size, int length) {
    if (length < 0) return length;
    size_t stored = (size_t)length < size ? (size_t)length + 1 : size;
    FILLS(to, stored);
    NOW_WRITTEN(site, to, stored);
    return length;
}

/* Formats into what is certainly accessible and no source first; only a text that does not
 * fit there is formatted again, after the checks. */
static int print_into(struct site site, char *to, size_t size, const char *format,
                      va_list arguments) {
    struct sources sources;
    check_sources(site, format, arguments, &sources);
    size_t room = plain_room(to, size, &sources);
    if (room == size) return filled(site, to, size, vsnprintf(to, size, format, arguments));
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(room ? to : NULL, room, format, arguments);
    if (length >= 0 && (size_t)length >= room) {
        check_text(site, to, (size_t)length, size, &sources);
        length =
            size == NO_LIMIT ? vsprintf(to, format, again) : vsnprintf(to, size, format, again);
    }
    va_end(again);
    return filled(site, to, size, length);
}

#define PRINT_INTO(name, parameters, size, first, call)                                            \
    WRAP(int, name, parameters) {                                                                  \
        va_list arguments, again;                                                                  \
        va_start(arguments, format);                                                               \
        va_copy(again, arguments);                                                                 \
        int length = call;                                                                         \
        PRINTED_INTO(to, size, length, first, again);                                              \
        va_end(again);                                                                             \
        va_end(arguments);                                                                         \
        return length;                                                                             \
    }

#define PRINT_LIST_INTO(name, parameters, size, call)                                              \
    WRAP(int, name, parameters) {                                                                  \
        va_list again;                                                                             \
        va_copy(again, arguments);                                                                 \
        int length = call;                                                                         \
        PRINTED_INTO(to, size, length, GIVEN_LIST, again);                                         \
        va_end(again);                                                                             \
        return length;                                                                             \
    }

PRINT_INTO(sprintf, (char *to, const char *format, ...), NO_LIMIT, 2,
           print_into(SITE, to, NO_LIMIT, format, arguments))
PRINT_INTO(snprintf, (char *to, size_t size, const char *format, ...), size, 3,
           print_into(SITE, to, size, format, arguments))
PRINT_LIST_INTO(vsprintf, (char *to, const char *format, va_list arguments), NO_LIMIT,
                print_into(SITE, to, NO_LIMIT, format, arguments))
PRINT_LIST_INTO(vsnprintf, (char *to, size_t size, const char *format, va_list arguments), size,
                print_into(SITE, to, size, format, arguments))

/* Checks only; the function with the known size must run to see an overflow of that. */
static void check_print_into(struct site site, const char *to, size_t size, const char *format,
                             va_list arguments) {
    struct sources sources;
    check_sources(site, format, arguments, &sources);
    if (plain_room(to, size, &sources) == size) return;
    va_list copy;
    va_copy(copy, arguments);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    if (length >= 0) check_text(site, to, (size_t)length, size, &sources);
}

int __vsprintf_chk(char *, int, size_t, const char *, va_list);
int __vsnprintf_chk(char *, size_t, int, size_t, const char *, va_list);

/* `size`: NO_LIMIT if the function has none but that of the room. */
#define CHECKED_INTO(size, call)                                                                   \
    (check_print_into(SITE, to, size, format, arguments), filled(SITE, to, size, call))

PRINT_LIST_INTO(__vsprintf_chk,
                (char *to, int flag, size_t room, const char *format, va_list arguments), NO_LIMIT,
                CHECKED_INTO(NO_LIMIT, __vsprintf_chk(to, flag, room, format, arguments)))
PRINT_LIST_INTO(__vsnprintf_chk,
                (char *to, size_t size, int flag, size_t room, const char *format,
                 va_list arguments),
                size, CHECKED_INTO(size, __vsnprintf_chk(to, size, flag, room, format, arguments)))
PRINT_INTO(__sprintf_chk, (char *to, int flag, size_t room, const char *format, ...), NO_LIMIT, 4,
           CHECKED_INTO(NO_LIMIT, __vsprintf_chk(to, flag, room, format, arguments)))
PRINT_INTO(__snprintf_chk, (char *to, size_t size, int flag, size_t room, const char *format, ...),
           size, 5, CHECKED_INTO(size, __vsnprintf_chk(to, size, flag, room, format, arguments)))

/* ---- scanf ---- */

SCAN_FAMILY()
