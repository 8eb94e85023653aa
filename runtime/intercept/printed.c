#include "printed.h"
#include "format.h"
#include "../origins/printing.h"

#include <stdio.h>
#include <string.h>

/* Conversions whose text is longer are not told apart. */
#define MOST_TEXT 256u
#define MOST_CONVERSION 32u

struct printed {
    struct whence_origin_site *call;
    const char *to;
    size_t size, done; /* of the text: what is there, and what was told so far */
    va_list rest;
};

/* How many of so many bytes from here on are there. */
static size_t there(const struct printed *text, size_t size) {
    size_t left = text->done < text->size ? text->size - text->done : 0;
    return size < left ? size : left;
}

/* ---- one conversion ---- */

struct conversion {
    struct format_item item;
    char format[MOST_CONVERSION];
    long width, precision;
    struct format_place value;
};

static int is_positional(const struct format_item *item) {
    return item->value_at || item->width_at || item->precision_at;
}

/* The next one, of which *format is the begin; 0: it is not told. */
static int next_conversion(const char **format, struct conversion *into) {
    const char *begin = *format;
    if (!format_printf_next(format, &into->item) || is_positional(&into->item)) return 0;
    size_t length = (size_t)(*format - begin);
    if (length >= MOST_CONVERSION || into->item.conversion == 'm') return 0;
    memcpy(into->format, begin, length);
    into->format[length] = 0;
    return 1;
}

static long amount(struct printed *text, int given) {
    return given == FORMAT_FROM_ARGUMENT ? va_arg(text->rest, int) : given;
}

/* The arguments of a conversion, which are behind those of the ones before. */
static void take_arguments(struct printed *text, struct conversion *of) {
    of->width = amount(text, of->item.width);
    of->precision = amount(text, of->item.precision);
    of->value = format_take(&text->rest, of->item.kind);
}

/* ---- numbers and single characters ---- */

static size_t format_again(const struct conversion *of, char *to, size_t room, va_list arguments) {
    int length = vsnprintf(to, room, of->format, arguments);
    return length < 0 ? 0 : (size_t)length;
}

static void tell_number(struct printed *text, const struct conversion *of, const char *again,
                        size_t length) {
    size_t size = there(text, length);
    const char *to = text->to + text->done;
    if (!text->call || length >= MOST_TEXT || memcmp(to, again, size)) return;
    int is_copy = of->item.conversion == 'c';
    printing_number(text->call, (uintptr_t)to, size, (uintptr_t)of->value.begin, is_copy);
}

/* ---- texts ---- */

static int is_left(const struct conversion *of) {
    const char *at = of->format + 1;
    while (*at && strchr("-+ #0'I", *at))
        if (*at++ == '-') return 1;
    return of->item.width == FORMAT_FROM_ARGUMENT && of->width < 0;
}

static size_t tell_text(struct printed *text, const struct conversion *of) {
    const char *from = *(const char *const *)of->value.begin;
    size_t length = of->precision < 0 ? strlen(from) : strnlen(from, (size_t)of->precision);
    size_t width = of->width < 0 && of->item.width != FORMAT_UNSET ? (size_t)-of->width
                   : of->width > 0                                 ? (size_t)of->width
                                                                   : 0;
    size_t whole = width > length ? width : length;
    size_t before = is_left(of) ? 0 : whole - length;
    const char *to = text->to + text->done + before;
    size_t shown = there(text, before + length);
    shown = shown > before ? shown - before : 0;
    if (memcmp(to, from, shown)) return whole;
    if (text->call) printing_text(text->call, (uintptr_t)to, (uintptr_t)from, shown);
    announce_copied((uintptr_t)to, (uintptr_t)from, shown);
    return whole;
}

static int is_text(const struct conversion *of) {
    return of->item.kind == FORMAT_STRING && *(const char *const *)of->value.begin;
}

/* ---- all of them ---- */

static void tell_conversion(struct printed *text, struct conversion *of) {
    char again[MOST_TEXT];
    size_t length = 0;
    va_list arguments;
    va_copy(arguments, text->rest);
    take_arguments(text, of);
    if (is_text(of)) {
        length = tell_text(text, of);
    } else if (of->item.kind != FORMAT_STORE) {
        length = format_again(of, again, MOST_TEXT, arguments);
        int is_told = of->item.kind == FORMAT_INT || of->item.kind == FORMAT_LONG;
        if (is_told) tell_number(text, of, again, length);
    }
    va_end(arguments);
    text->done += length;
}

static void tell_all(struct printed *text, const char *format) {
    struct conversion next;
    while (text->done < text->size) {
        const char *begin = format;
        while (*format && *format != '%') format++;
        text->done += (size_t)(format - begin);
        if (!*format || !next_conversion(&format, &next)) return;
        tell_conversion(text, &next);
    }
}

static void tell(struct whence_origin_site *call, const char *to, size_t size, const char *format,
                 va_list arguments) {
    struct printed text = {.call = call, .to = to, .size = size};
    int error = errno;
    va_copy(text.rest, arguments);
    tell_all(&text, format);
    va_end(text.rest);
    errno = error;
}

void printed(struct site site, const char *to, size_t size, int length, const char *format,
             unsigned first, va_list arguments) {
    struct whence_origin_site *call = written_is_asked() ? written_call(site.function) : NULL;
    struct origins_listed kept;
    if ((!call && !IS_HEARD(copied)) || !size || length <= 0) return;
    if ((size_t)length < size) size = (size_t)length + 1;
    int is_listed = call && first != GIVEN_LIST;
    if (is_listed) listed_begin(&kept, first, arguments);
    tell(call, to, size - 1, format, arguments);
    if (is_listed) listed_end(&kept);
}

/* ---- of other functions ---- */

void announce_written(struct site site, const void *to, size_t size) {
    if (is_there(to, size)) written_soon(site.function, site.frame, (uintptr_t)to, size);
}
