#include "format.h"

#include <stdint.h>

/* ---- pieces of a conversion ---- */

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_one_of(char c, const char *set) {
    while (*set && *set != c) set++;
    return c && *set == c;
}

#define NUMBER_MOST 100000000

static int number(const char **at) {
    int value = 0;
    for (; is_digit(**at); ++*at)
        if (value < NUMBER_MOST) value = value * 10 + (**at - '0');
    return value;
}

/* `n$`, if it stands here; else 0 and nothing is consumed. */
static int position(const char **at) {
    const char *probe = *at;
    if (!is_digit(*probe)) return 0;
    int value = number(&probe);
    if (*probe != '$') return 0;
    *at = probe + 1;
    return value;
}

/* A width or precision: digits, `*`, `*n$`, or nothing. */
static int amount(const char **at, int *argument_at) {
    *argument_at = 0;
    if (**at != '*') return is_digit(**at) ? number(at) : FORMAT_UNSET;
    ++*at;
    *argument_at = position(at);
    return FORMAT_FROM_ARGUMENT;
}

enum length { PLAIN, CHAR, SHORT, LONG, LONG_LONG, LONG_DOUBLE };

static enum length length_of(const char **at) {
    char c = **at;
    if (!is_one_of(c, "hlLqjztZ")) return PLAIN;
    ++*at;
    if ((c == 'h' || c == 'l') && **at == c) {
        ++*at;
        return c == 'h' ? CHAR : LONG_LONG;
    }
    if (c == 'h') return SHORT;
    if (c == 'L') return LONG_DOUBLE;
    return c == 'q' ? LONG_LONG : LONG;
}

static unsigned integer_size(enum length length) {
    static const unsigned sizes[] = {[PLAIN] = 4, [CHAR] = 1,      [SHORT] = 2,
                                     [LONG] = 8,  [LONG_LONG] = 8, [LONG_DOUBLE] = 8};
    return sizes[length];
}

/* Skips to behind the next `%`; 0 at the end. */
static int to_conversion(const char **format) {
    while (**format && **format != '%') ++*format;
    if (!**format) return 0;
    ++*format;
    return 1;
}

/* ---- printf ---- */

static int printf_kind(struct format_item *item, enum length length) {
    char c = item->conversion;
    if (c == '%' || c == 'm')
        item->kind = FORMAT_NOTHING;
    else if (is_one_of(c, "dioxXubB"))
        item->kind = integer_size(length) == 8 ? FORMAT_LONG : FORMAT_INT;
    else if (is_one_of(c, "eEfFgGaA"))
        item->kind = length == LONG_DOUBLE ? FORMAT_LONG_DOUBLE : FORMAT_DOUBLE;
    else if (c == 'c' || c == 'C')
        item->kind = FORMAT_INT;
    else if (c == 'p')
        item->kind = FORMAT_LONG;
    else if (c == 's' || c == 'S')
        item->kind = c == 'S' || length == LONG ? FORMAT_WIDE_STRING : FORMAT_STRING;
    else if (c == 'n')
        item->kind = FORMAT_STORE;
    else
        return 0;
    int is_number =
        item->kind == FORMAT_STORE || (item->kind == FORMAT_INT && c != 'c' && c != 'C');
    item->size = is_number ? integer_size(length) : length == LONG && c == 'c' ? 4 : 1;
    return 1;
}

int format_printf_next(const char **format, struct format_item *item) {
    if (!to_conversion(format)) return 0;
    *item = (struct format_item){0};
    item->value_at = position(format);
    while (is_one_of(**format, "-+ #0'I")) ++*format;
    item->width = amount(format, &item->width_at);
    item->precision = FORMAT_UNSET;
    if (**format == '.') {
        ++*format;
        item->precision = amount(format, &item->precision_at);
        if (item->precision == FORMAT_UNSET) item->precision = 0;
    }
    enum length length = length_of(format);
    item->conversion = **format;
    if (!item->conversion) return 0;
    ++*format;
    return printf_kind(item, length);
}

/* ---- scanf ---- */

/* Behind the `]` of a set; a `]` that comes first is a member. */
static void skip_set(const char **format) {
    if (**format == '^') ++*format;
    if (**format == ']') ++*format;
    while (**format && **format != ']') ++*format;
    if (**format) ++*format;
}

static int scanf_kind(struct format_item *item, enum length length, int make) {
    char c = item->conversion;
    if (c == '%') {
        item->kind = FORMAT_NOTHING;
    } else if (is_one_of(c, "sc[SC")) {
        item->kind = make ? FORMAT_MAKE : FORMAT_SET;
        item->size = is_one_of(c, "SC") || length == LONG ? sizeof(int32_t) : 1;
    } else if (is_one_of(c, "dioxXun")) {
        item->kind = FORMAT_STORE;
        item->size = integer_size(length);
    } else if (is_one_of(c, "eEfFgGaA")) {
        item->kind = FORMAT_STORE;
        item->size = length == LONG_DOUBLE ? sizeof(long double) : length == PLAIN ? 4 : 8;
    } else if (c == 'p') {
        item->kind = FORMAT_STORE;
        item->size = sizeof(void *);
    } else {
        return 0;
    }
    return 1;
}

int format_scanf_next(const char **format, struct format_item *item) {
    if (!to_conversion(format)) return 0;
    *item = (struct format_item){0};
    item->value_at = position(format);
    if (**format == '*') {
        item->suppressed = 1;
        ++*format;
    }
    while (**format == '\'' || **format == 'I') ++*format;
    item->width = is_digit(**format) ? number(format) : FORMAT_UNSET;
    int make = **format == 'm';
    if (make) ++*format;
    enum length length = length_of(format);
    item->conversion = **format;
    if (!item->conversion) return 0;
    ++*format;
    if (item->conversion == '[') skip_set(format);
    return scanf_kind(item, length, make);
}

/* ---- arguments ---- */

union argument {
    long integer;
    const void *pointer;
};

static int take(va_list *arguments, enum format_kind kind, union argument *argument) {
    argument->integer = 0;
    switch (kind) {
    case FORMAT_INT: argument->integer = va_arg(*arguments, int); break;
    case FORMAT_DOUBLE: (void)va_arg(*arguments, double); break;
    case FORMAT_LONG_DOUBLE: (void)va_arg(*arguments, long double); break;
    case FORMAT_NOTHING: break;
    default: argument->pointer = va_arg(*arguments, void *); break;
    }
    return 1;
}

/* Where the next argument is (System V ABI for x86-64, 3.5.7). */
static const void *place_of(const va_list arguments, enum format_kind kind) {
    const char *registers = arguments->reg_save_area, *stack = arguments->overflow_arg_area;
    if (kind == FORMAT_LONG_DOUBLE) return stack + (16 - (uintptr_t)stack % 16) % 16;
    if (kind == FORMAT_DOUBLE)
        return arguments->fp_offset < 6 * 8 + 8 * 16 ? registers + arguments->fp_offset : stack;
    return arguments->gp_offset < 6 * 8 ? registers + arguments->gp_offset : stack;
}

/* The bytes of an argument that is no int. */
static size_t size_of(enum format_kind kind) {
    return kind == FORMAT_LONG_DOUBLE ? 10 : sizeof(long);
}

struct format_place format_take(va_list *arguments, enum format_kind kind) {
    union argument value;
    struct format_place place = {NULL, 0};
    if (kind == FORMAT_NOTHING) return place;
    place = (struct format_place){place_of(*arguments, kind), size_of(kind)};
    take(arguments, kind, &value);
    return place;
}

struct walk {
    struct format_item items[FORMAT_MOST];
    size_t count;
    /* By argument, from 0. A gap in the positions counts as FORMAT_LONG. */
    enum format_kind kinds[FORMAT_MOST];
    union argument values[FORMAT_MOST];
    size_t argument_count;
};

/* Gives an argument its kind; its number from 1, or 0 if there are too many. */
static int place(struct walk *walk, int at, enum format_kind kind) {
    if (!at) at = (int)walk->argument_count + 1;
    if (at < 1 || at > FORMAT_MOST) return 0;
    while (walk->argument_count < (size_t)at) walk->kinds[walk->argument_count++] = FORMAT_LONG;
    walk->kinds[at - 1] = kind;
    return at;
}

/* 0 if the walk cannot go on. */
static int add(struct walk *walk, struct format_item item) {
    if (item.kind == FORMAT_NOTHING || item.suppressed) return 1;
    if (walk->count == FORMAT_MOST) return 0;
    if (item.width == FORMAT_FROM_ARGUMENT &&
        !(item.width_at = place(walk, item.width_at, FORMAT_INT)))
        return 0;
    if (item.precision == FORMAT_FROM_ARGUMENT &&
        !(item.precision_at = place(walk, item.precision_at, FORMAT_INT)))
        return 0;
    if (!(item.value_at = place(walk, item.value_at, item.kind))) return 0;
    walk->items[walk->count++] = item;
    return 1;
}

static size_t finish(struct walk *walk, va_list arguments, struct format_value *values) {
    va_list copy;
    va_copy(copy, arguments);
    for (size_t i = 0; i < walk->argument_count; i++) take(&copy, walk->kinds[i], &walk->values[i]);
    va_end(copy);
    size_t count = 0;
    for (size_t i = 0; i < walk->count; i++) {
        const struct format_item *item = &walk->items[i];
        if (item->kind < FORMAT_STRING) continue;
        struct format_value *value = &values[count++];
        value->item = *item;
        value->pointer = walk->values[item->value_at - 1].pointer;
        value->precision = item->precision == FORMAT_FROM_ARGUMENT
                               ? walk->values[item->precision_at - 1].integer
                               : item->precision;
    }
    return count;
}

static void find(struct walk *walk, const char *format) {
    walk->count = walk->argument_count = 0;
    struct format_item item;
    while (format && format_printf_next(&format, &item) && add(walk, item)) {
    }
}

/* An argument that no conversion names is not looked at. */
static void use(struct format_place *places, int at, size_t size) {
    if (at) places[at - 1].size = size;
}

size_t format_printf_places(const char *format, va_list arguments, struct format_place *places) {
    struct walk walk;
    find(&walk, format);
    va_list copy;
    va_copy(copy, arguments);
    for (size_t i = 0; i < walk.argument_count; i++) {
        places[i] = (struct format_place){place_of(copy, walk.kinds[i]), 0};
        take(&copy, walk.kinds[i], &walk.values[i]);
    }
    va_end(copy);
    for (size_t i = 0; i < walk.count; i++) {
        const struct format_item *item = &walk.items[i];
        use(places, item->value_at, item->kind == FORMAT_INT ? item->size : size_of(item->kind));
        use(places, item->width == FORMAT_FROM_ARGUMENT ? item->width_at : 0, sizeof(int));
        use(places, item->precision == FORMAT_FROM_ARGUMENT ? item->precision_at : 0, sizeof(int));
    }
    return walk.argument_count;
}

int format_printf_names(const char *format, int at) {
    struct walk walk;
    find(&walk, format);
    for (size_t i = 0; i < walk.count; i++) {
        const struct format_item *item = &walk.items[i];
        if (item->value_at == at) return 1;
        if (item->width == FORMAT_FROM_ARGUMENT && item->width_at == at) return 1;
        if (item->precision == FORMAT_FROM_ARGUMENT && item->precision_at == at) return 1;
    }
    return 0;
}

size_t format_printf_values(const char *format, va_list arguments, struct format_value *values) {
    struct walk walk;
    find(&walk, format);
    return finish(&walk, arguments, values);
}

size_t format_scanf_values(const char *format, va_list arguments, struct format_value *values) {
    struct walk walk;
    walk.count = walk.argument_count = 0;
    struct format_item item;
    while (format && format_scanf_next(&format, &item)) {
        item.precision = FORMAT_UNSET;
        item.width = item.width < 0 ? FORMAT_UNSET : item.width;
        if (!add(&walk, item)) break;
    }
    return finish(&walk, arguments, values);
}

/* ---- wide formats ---- */

#define ASCII_MOST 0x7f

const char *format_narrow(const wchar_t *format, char *to, size_t room) {
    size_t count = 0;
    for (; format[count] && count + 1 < room; count++)
        to[count] = format[count] > 0 && format[count] <= ASCII_MOST ? (char)format[count] : '?';
    to[count] = 0;
    return to;
}
