/* Walks printf and scanf formats: which arguments there are, and what they are for. */
#ifndef WHENCE_INTERCEPT_FORMAT_H
#define WHENCE_INTERCEPT_FORMAT_H

#include <stdarg.h>
#include <stddef.h>
#include <wchar.h>

enum format_kind {
    FORMAT_NOTHING, /* %% */
    FORMAT_INT,
    FORMAT_LONG, /* anything of eight bytes */
    FORMAT_DOUBLE,
    FORMAT_LONG_DOUBLE,
    FORMAT_STRING,
    FORMAT_WIDE_STRING,
    FORMAT_STORE, /* %n, and every destination of scanf: a pointer to `size` bytes */
    FORMAT_SET,   /* scanf: %s %c %[ store characters of `size` bytes */
    FORMAT_MAKE,  /* scanf: %ms stores a pointer to fresh memory */
};

#define FORMAT_UNSET (-1)
#define FORMAT_FROM_ARGUMENT (-2)

/* One conversion. */
struct format_item {
    enum format_kind kind;
    int width, precision;                 /* a number, FORMAT_UNSET, or FORMAT_FROM_ARGUMENT */
    int width_at, precision_at, value_at; /* `n$` positions from 1; 0: the next argument */
    unsigned size;                        /* of what a pointer points to, or of an integer */
    char conversion;                      /* the letter */
    char suppressed;                      /* scanf: `*` */
};

/* The next conversion from *format on, which moves behind it; 0 at the end of
 * the format or at a conversion that is not known (then nothing after it is). */
int format_printf_next(const char **format, struct format_item *item);
int format_scanf_next(const char **format, struct format_item *item);

/* What the walk found, with the arguments taken from the list. */
struct format_value {
    struct format_item item;
    const void *pointer; /* of STRING, WIDE_STRING, STORE, SET, MAKE */
    long precision;      /* resolved; negative: none */
};

#define FORMAT_MOST 64

/* The pointer arguments of a printf or scanf call, at most FORMAT_MOST; none if the format is NULL.
 */
size_t format_printf_values(const char *format, va_list arguments, struct format_value *values);
size_t format_scanf_values(const char *format, va_list arguments, struct format_value *values);

/* Where an argument is, and the bytes of it that decide what is printed. */
struct format_place {
    const void *begin;
    size_t size;
};

/* Takes the next argument of a list; where it was. */
struct format_place format_take(va_list *arguments, enum format_kind kind);

/* The arguments of a printf call that are numbers or pointers, at most FORMAT_MOST. */
size_t format_printf_places(const char *format, va_list arguments, struct format_place *places);

/* Whether a printf looks at the argument with this number, from 1 on. */
int format_printf_names(const char *format, int at);

/* A wide format in narrow characters, `?` for what is not ASCII, as far as it fits into `room`
 * bytes at `to`; returns `to`. */
const char *format_narrow(const wchar_t *format, char *to, size_t room);

#endif
