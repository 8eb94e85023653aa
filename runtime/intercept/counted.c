#include "counted.h"

#include <string.h>

struct making {
    struct counting *into;
    size_t length, places, count; /* of the format, its arguments, and what they store */
    int is_full;
};

static void put(struct making *making, const char *text, size_t length) {
    if (making->is_full || making->length + length >= COUNTED_ROOM) {
        making->is_full = 1;
        return;
    }
    memcpy(making->into->made + making->length, text, length);
    making->length += length;
    making->into->made[making->length] = 0;
}

static void put_place(struct making *making, void *place) {
    if (making->places < 3 * FORMAT_MOST) making->into->places[making->places++] = place;
}

static void put_count(struct making *making, int *place) {
    put(making, "%n", 2);
    making->into->places[making->places++] = place;
}

/* Blanks are skipped by all conversions but these. */
static int takes_blanks(char conversion) { return strchr("cC[n", conversion) != NULL; }

static void put_conversion(struct making *making, const struct format_item *item, const char *begin,
                           size_t length, va_list *arguments) {
    int stores = item->kind != FORMAT_NOTHING && !item->suppressed;
    int is_counted = stores && item->conversion != 'n';
    if (is_counted && making->count == FORMAT_MOST) making->is_full = 1;
    if (making->is_full) return;
    if (is_counted) {
        if (!takes_blanks(item->conversion)) put(making, " ", 1);
        put_count(making, &making->into->begins[making->count]);
    }
    put(making, begin, length);
    if (stores) put_place(making, va_arg(*arguments, void *));
    if (is_counted) put_count(making, &making->into->ends[making->count++]);
}

/* GNU's %as is not told from C99's. */
static int is_known(const struct format_item *item) {
    return !item->value_at && item->conversion != 'a' && item->conversion != 'A';
}

/* 0: the format has something that is not known. */
static int make(struct making *making, const char *format, va_list *arguments) {
    struct format_item item;
    while (*format && !making->is_full) {
        const char *begin = format;
        while (*format && *format != '%') format++;
        put(making, begin, (size_t)(format - begin));
        if (!*format) break;
        begin = format;
        if (!format_scanf_next(&format, &item) || !is_known(&item)) return 0;
        put_conversion(making, &item, begin, (size_t)(format - begin), arguments);
    }
    put_count(making, &making->into->all);
    return !making->is_full;
}

static void use_made(struct counting *counting) {
    struct counting *own = counting;
    own->format = own->made;
    own->list->gp_offset = 6 * 8; /* all arguments are on the stack (System V ABI for x86-64) */
    own->list->fp_offset = 6 * 8 + 8 * 16;
    own->list->overflow_arg_area = own->places;
    own->list->reg_save_area = NULL;
}

void counting_begin(struct counting *counting, const char *format, va_list arguments,
                    int is_wanted) {
    counting->format = format;
    va_copy(counting->list, arguments);
    counting->all = COUNTED_UNKNOWN;
    for (size_t i = 0; i < FORMAT_MOST; i++)
        counting->begins[i] = counting->ends[i] = COUNTED_UNKNOWN;
    if (!is_wanted || !format) return;
    struct making making = {.into = counting};
    va_list given;
    va_copy(given, arguments);
    if (make(&making, format, &given)) use_made(counting);
    va_end(given);
}
