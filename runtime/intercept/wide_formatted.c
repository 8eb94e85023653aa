/* wchar.h: wprintf and wscanf in every form. */
#include "format.h"
#include "formatted.h"

#define WIDE sizeof(wchar_t)

/* ---- formats ---- */

/* Conversions behind this many characters of a format are not checked. */
#define NARROW_ROOM 1024

static void check_wprintf(struct site site, const wchar_t *format, va_list arguments) {
    char room[NARROW_ROOM];
    check_wide(site, format, NO_LIMIT);
    check_printed(site, format ? format_narrow(format, room, NARROW_ROOM) : "", arguments);
}

static void check_wscanned(struct site site, const wchar_t *format, va_list arguments, int assigned,
                           struct intake *intake) {
    char room[NARROW_ROOM];
    if (format)
        check_scanned(site, format_narrow(format, room, NARROW_ROOM), arguments, assigned, intake,
                      NULL);
}

/* Chains do not lead to wide texts and streams. */
#define NARROW_INTAKE(from) ((struct intake){0})
#define NARROW_LEFT(site, stream, file, format, arguments, length) ((void)0)

#define CHARACTER wchar_t
#define CHECK_PRINTF check_wprintf
#define CHECK_SCANNED(site, format, arguments, assigned, intake, counting)                         \
    check_wscanned(site, format, arguments, assigned, intake)
/* Nothing is counted. */
#define COUNTING(counting, asked, arguments)                                                       \
    struct {                                                                                       \
        const wchar_t *format;                                                                     \
        va_list list;                                                                              \
        int all;                                                                                   \
    } counting = {.format = asked, .all = -1};                                                     \
    va_copy(counting.list, arguments)
#define READ_TEXT READ_WIDE

/* ---- printf ---- */

PRINT_FAMILY(w)

int __vswprintf_chk(wchar_t *, size_t, int, size_t, const wchar_t *, va_list);

/* Checks after the call, because only then the length of the text is known. */
static int written(struct site site, const wchar_t *to, int length) {
    if (length >= 0) check_range(site, to, bytes_of((size_t)length + 1, WIDE), 1, to);
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

SCAN_FAMILY(w)
