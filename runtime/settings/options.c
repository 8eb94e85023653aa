#include "options.h"
#include "../os/mem.h"

#define X(name, default, low, high) default,
struct options options = {WH_OPTIONS(X)};
#undef X

static const struct row {
    const char *name;
    uint64_t standard, low, high;
    size_t at;
} rows[] = {
#define X(name, default, low, high) {#name, default, low, high, offsetof(struct options, name)},
    WH_OPTIONS(X)
#undef X
};

#define ROWS (sizeof rows / sizeof *rows)

static const struct row *find(const char *name, size_t length) {
    for (size_t i = 0; i < ROWS; i++) {
        size_t at = 0;
        while (at < length && rows[i].name[at] == name[at]) at++;
        if (at == length && !rows[i].name[at]) return &rows[i];
    }
    return NULL;
}

/* A plain decimal number; 0 if it is not one or above 2**32. */
static int number(const char *text, size_t length, uint64_t *value) {
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || *value > UINT32_MAX) return 0;
        *value = *value * 10 + (uint64_t)(text[i] - '0');
    }
    return length > 0;
}

static void complain(struct text *error, const char *pair, size_t length, const struct row *row) {
    text_put(error, WH_OPTIONS_VARIABLE ": ");
    text_put(error, row ? "bad value in '" : "unknown option in '");
    text_put_n(error, pair, length);
    text_put(error, "' (expected ");
    if (row) {
        text_put(error, row->name);
        text_put(error, "=");
        text_decimal(error, row->low);
        text_put(error, "..");
        text_decimal(error, row->high);
    } else {
        text_put(error, "one of:");
        for (size_t i = 0; i < ROWS; i++) {
            text_put(error, i ? ", " : " ");
            text_put(error, rows[i].name);
        }
    }
    text_put(error, ")");
}

static int parse_pair(const char *pair, size_t length, struct options *into, struct text *error) {
    size_t equals = 0;
    while (equals < length && pair[equals] != '=') equals++;
    const struct row *row = find(pair, equals);
    uint64_t value;
    if (!row || equals == length || !number(pair + equals + 1, length - equals - 1, &value) ||
        value < row->low || value > row->high) {
        complain(error, pair, length, row);
        return 0;
    }
    wh_copy((char *)into + row->at, &value, sizeof value);
    return 1;
}

int options_parse(const char *text, size_t length, struct options *into, struct text *error) {
#define X(name, default, low, high) into->name = default;
    WH_OPTIONS(X)
#undef X
    size_t at = 0;
    while (at < length) {
        size_t end = at;
        while (end < length && text[end] != ':') end++;
        if (!parse_pair(text + at, end - at, into, error)) return 0;
        at = end + 1;
    }
    return 1;
}

int options_read(const char *environment, size_t size, struct text *error) {
    size_t length = 0;
    const char *value = options_variable(environment, size, WH_OPTIONS_VARIABLE, &length);
    return !value || options_parse(value, length, &options, error);
}

const char *options_variable(const char *block, size_t size, const char *name, size_t *length) {
    size_t name_length = wh_length(name);
    for (size_t at = 0; at < size;) {
        size_t end = at;
        while (end < size && block[end]) end++;
        size_t i = 0;
        while (i < name_length && at + i < end && block[at + i] == name[i]) i++;
        if (i == name_length && at + i < end && block[at + i] == '=') {
            *length = end - at - i - 1;
            return block + at + i + 1;
        }
        at = end + 1;
    }
    return NULL;
}
