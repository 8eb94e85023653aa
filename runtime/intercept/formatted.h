/* Wrappers of the printf and scanf functions that exist for narrow and for wide formats.
 *
 * The file that includes this defines for its formats:
 *     CHARACTER       char or wchar_t
 *     CHECK_PRINTF    a function like check_printf: checks what a printf reads, and its %n
 *     CHECK_SCANNED   a function like check_scanned: checks what a scanf has stored
 *     READ_TEXT       checks a string of CHARACTER
 *     NARROW_INTAKE  what a scanf takes, if chains lead there
 *     COUNTING        declares what a scanf is called with
 *     NARROW_LEFT     says what a printf has sent, if chains lead on from there
 * In the families, `w` is the letter that the names of wide functions have: empty or w.
 */
#ifndef WHENCE_INTERCEPT_FORMATTED_H
#define WHENCE_INTERCEPT_FORMATTED_H

#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>
#include "check.h"

/* ---- printf ---- */

/* `call` is an expression with `format` and the va_list `arguments`; `after` one with `length` and
 * `again`, the same list as before the call. */
#define PRINTING(name, parameters, call, after)                                                    \
    WRAP(int, name, parameters) {                                                                  \
        va_list arguments, again;                                                                  \
        va_start(arguments, format);                                                               \
        va_copy(again, arguments);                                                                 \
        CHECK_PRINTF(SITE, format, arguments);                                                     \
        int length = call;                                                                         \
        after;                                                                                     \
        va_end(again);                                                                             \
        va_end(arguments);                                                                         \
        return length;                                                                             \
    }

#define PRINTING_LIST(name, parameters, call, after)                                               \
    WRAP(int, name, parameters) {                                                                  \
        va_list again;                                                                             \
        va_copy(again, arguments);                                                                 \
        CHECK_PRINTF(SITE, format, arguments);                                                     \
        int length = call;                                                                         \
        after;                                                                                     \
        va_end(again);                                                                             \
        return length;                                                                             \
    }

#define PRINT(name, parameters, call) PRINTING(name, parameters, call, (void)0)
#define PRINT_LIST(name, parameters, call) PRINTING_LIST(name, parameters, call, (void)0)

/* The same where the text goes to a stream, or to a descriptor if that is NULL. */
#define SENT(stream, file)                                                                         \
    (IS_HEARD(left) ? NARROW_LEFT(SITE, stream, file, format, again, length) : (void)0)
#define PRINTED(stream, file)                                                                      \
    (stream ? TRIED(stream, length < 0) : (void)USED(file, length), SENT(stream, file))
#define PRINT_TO(name, parameters, stream, file, call)                                             \
    PRINTING(name, parameters, call, PRINTED(stream, file))
#define PRINT_LIST_TO(name, parameters, stream, file, call)                                        \
    PRINTING_LIST(name, parameters, call, PRINTED(stream, file))

/* printf to a stream. */
#define PRINT_FAMILY(w)                                                                            \
    int __v##w##printf_chk(int, const CHARACTER *, va_list);                                       \
    int __vf##w##printf_chk(FILE *, int, const CHARACTER *, va_list);                              \
    PRINT_TO(w##printf, (const CHARACTER *format, ...), stdout, 0,                                 \
             v##w##printf(format, arguments))                                                      \
    PRINT_TO(f##w##printf, (FILE * stream, const CHARACTER *format, ...), stream, 0,               \
             (STREAM(stream), vf##w##printf(stream, format, arguments)))                           \
    PRINT_LIST_TO(v##w##printf, (const CHARACTER *format, va_list arguments), stdout, 0,           \
                  v##w##printf(format, arguments))                                                 \
    PRINT_LIST_TO(vf##w##printf, (FILE * stream, const CHARACTER *format, va_list arguments),      \
                  stream, 0, (STREAM(stream), vf##w##printf(stream, format, arguments)))           \
    PRINT_TO(__##w##printf_chk, (int flag, const CHARACTER *format, ...), stdout, 0,               \
             __v##w##printf_chk(flag, format, arguments))                                          \
    PRINT_TO(__f##w##printf_chk, (FILE * stream, int flag, const CHARACTER *format, ...), stream,  \
             0, (STREAM(stream), __vf##w##printf_chk(stream, flag, format, arguments)))            \
    PRINT_LIST_TO(__v##w##printf_chk, (int flag, const CHARACTER *format, va_list arguments),      \
                  stdout, 0, __v##w##printf_chk(flag, format, arguments))                          \
    PRINT_LIST_TO(__vf##w##printf_chk,                                                             \
                  (FILE * stream, int flag, const CHARACTER *format, va_list arguments), stream,   \
                  0, (STREAM(stream), __vf##w##printf_chk(stream, flag, format, arguments)))

/* ---- scanf; `taken`: the stream that it takes from, or NULL ---- */

#define COUNTED counting.format, counting.list

#define SCAN_LIST(name, parameters, taken, from, call)                                             \
    WRAP(int, name, parameters) {                                                                  \
        va_list again;                                                                             \
        va_copy(again, arguments);                                                                 \
        READ_TEXT(format);                                                                         \
        struct intake intake = NARROW_INTAKE(from);                                                \
        COUNTING(counting, format, arguments);                                                     \
        int assigned = call;                                                                       \
        va_end(counting.list);                                                                     \
        if (assigned < 0 && taken) stream_refused(SITE, taken);                                    \
        announce_taken(NAME, &intake, counting.all);                                               \
        CHECK_SCANNED(SITE, format, again, assigned, &intake, &counting);                          \
        va_end(again);                                                                             \
        return assigned;                                                                           \
    }

#define SCAN(name, parameters, taken, from, call)                                                  \
    WRAP(int, name, parameters) {                                                                  \
        va_list arguments, again;                                                                  \
        va_start(arguments, format);                                                               \
        va_copy(again, arguments);                                                                 \
        READ_TEXT(format);                                                                         \
        struct intake intake = NARROW_INTAKE(from);                                                \
        COUNTING(counting, format, arguments);                                                     \
        int assigned = call;                                                                       \
        va_end(counting.list);                                                                     \
        if (assigned < 0 && taken) stream_refused(SITE, taken);                                    \
        announce_taken(NAME, &intake, counting.all);                                               \
        CHECK_SCANNED(SITE, format, again, assigned, &intake, &counting);                          \
        va_end(again);                                                                             \
        va_end(arguments);                                                                         \
        return assigned;                                                                           \
    }

#define SCAN_STANDARD(prefix, w, attribute)                                                        \
    int prefix##v##w##scanf(const CHARACTER *, va_list) attribute;                                 \
    int prefix##vf##w##scanf(FILE *, const CHARACTER *, va_list) attribute;                        \
    int prefix##vs##w##scanf(const CHARACTER *, const CHARACTER *, va_list) attribute;             \
    SCAN(prefix##w##scanf, (const CHARACTER *format, ...), stdin, INTAKE(stdin),                   \
         prefix##v##w##scanf(COUNTED))                                                             \
    SCAN(prefix##f##w##scanf, (FILE * stream, const CHARACTER *format, ...), stream,               \
         INTAKE(stream), (STREAM(stream), prefix##vf##w##scanf(stream, COUNTED)))                  \
    SCAN(prefix##s##w##scanf, (const CHARACTER *text, const CHARACTER *format, ...), NULL,         \
         INTAKE_OF_TEXT(text), (READ_TEXT(text), prefix##vs##w##scanf(text, COUNTED)))             \
    SCAN_LIST(prefix##v##w##scanf, (const CHARACTER *format, va_list arguments), stdin,            \
              INTAKE(stdin), prefix##v##w##scanf(COUNTED))                                         \
    SCAN_LIST(prefix##vf##w##scanf, (FILE * stream, const CHARACTER *format, va_list arguments),   \
              stream, INTAKE(stream), (STREAM(stream), prefix##vf##w##scanf(stream, COUNTED)))     \
    SCAN_LIST(prefix##vs##w##scanf,                                                                \
              (const CHARACTER *text, const CHARACTER *format, va_list arguments), NULL,           \
              INTAKE_OF_TEXT(text), (READ_TEXT(text), prefix##vs##w##scanf(text, COUNTED)))

#define IN_EVERY_VERSION
#define SINCE_2_38 __attribute__((weak))

/* scanf under the names that the headers of the C library give it, by C standard. */
#define SCAN_FAMILY(w)                                                                             \
    SCAN_STANDARD(, w, IN_EVERY_VERSION)                                                           \
    SCAN_STANDARD(__isoc99_, w, IN_EVERY_VERSION)                                                  \
    SCAN_STANDARD(__isoc23_, w, SINCE_2_38)

#endif
