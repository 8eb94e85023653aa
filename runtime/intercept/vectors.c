/* argz.h, envz.h: texts behind one another in one block, which grows and moves. */
#include <stdarg.h>
#include "check.h"

#include <argz.h>
#include <envz.h>
#include <string.h>

/* The function has changed the vector: what it stores is defined. */
#define CHANGED(vector, length, result)                                                            \
    do {                                                                                           \
        error_t status = (result);                                                                 \
        if (status == 0 && *(vector)) FILLS(*(vector), *(length));                                 \
        return status;                                                                             \
    } while (0)

/* ---- made of something else ---- */

WRAP(error_t, argz_create, (char *const arguments[], char **vector, size_t *length)) {
    for (size_t i = 0;; i++) {
        READ(&arguments[i], sizeof *arguments);
        if (!arguments[i]) break;
        USE_STRING(arguments[i]);
    }
    WRITE(vector, sizeof *vector);
    WRITE(length, sizeof *length);
    CHANGED(vector, length, argz_create(arguments, vector, length));
}

WRAP(error_t, argz_create_sep, (const char *text, int separator, char **vector, size_t *length)) {
    USE_STRING(text);
    WRITE(vector, sizeof *vector);
    WRITE(length, sizeof *length);
    CHANGED(vector, length, argz_create_sep(text, separator, vector, length));
}

/* ---- read ---- */

WRAP(size_t, argz_count, (const char *vector, size_t length)) {
    USE(vector, length);
    return argz_count(vector, length);
}

WRAP(void, argz_extract, (const char *vector, size_t length, char **arguments)) {
    USE(vector, length);
    WRITE(arguments, bytes_of(argz_count(vector, length) + 1, sizeof *arguments));
    argz_extract(vector, length, arguments);
}

WRAP(char *, argz_next, (const char *vector, size_t length, const char *entry)) {
    if (entry && entry < vector + length) USE_STRING(entry);
    return argz_next(vector, length, entry);
}

WRAP(void, argz_stringify, (char *vector, size_t length, int separator)) {
    WRITE(vector, length);
    argz_stringify(vector, length, separator);
}

/* ---- changed ---- */

/* The vector is moved or read as a whole. */
#define CHANGE(vector, length)                                                                     \
    (WRITE(vector, sizeof *(vector)), WRITE(length, sizeof *(length)), READ(*(vector), *(length)))

WRAP(error_t, argz_add, (char **vector, size_t *length, const char *text)) {
    CHANGE(vector, length);
    USE_STRING(text);
    CHANGED(vector, length, argz_add(vector, length, text));
}

WRAP(error_t, argz_add_sep, (char **vector, size_t *length, const char *text, int separator)) {
    CHANGE(vector, length);
    USE_STRING(text);
    CHANGED(vector, length, argz_add_sep(vector, length, text, separator));
}

WRAP(error_t, argz_append, (char **vector, size_t *length, const char *from, size_t size)) {
    CHANGE(vector, length);
    READ(from, size);
    CHANGED(vector, length, argz_append(vector, length, from, size));
}

WRAP(void, argz_delete, (char **vector, size_t *length, char *entry)) {
    CHANGE(vector, length);
    if (entry) USE_STRING(entry);
    argz_delete(vector, length, entry);
}

WRAP(error_t, argz_insert, (char **vector, size_t *length, char *before, const char *text)) {
    CHANGE(vector, length);
    USE_STRING(text);
    CHANGED(vector, length, argz_insert(vector, length, before, text));
}

WRAP(error_t, argz_replace,
     (char **vector, size_t *length, const char *text, const char *with, unsigned *count)) {
    CHANGE(vector, length);
    if (text && *text) {
        USE_STRING(text);
        USE_STRING(with);
        WRITE_IF(count, sizeof *count);
    }
    CHANGED(vector, length, argz_replace(vector, length, text, with, count));
}

/* ---- entries with names ---- */

static int has_name(const char *entry, size_t size, const char *name, size_t length) {
    return size >= length && !memcmp(entry, name, length) &&
           (size == length || entry[length] == '=');
}

/* The function goes through the entries up to the one of this name, or to the end. */
static void check_entries(struct site site, const char *vector, size_t length, const char *name) {
    size_t name_length = strcspn(name, "=");
    while (length) {
        size_t size = check_used_until(site, vector, 0, length);
        if (has_name(vector, size, name, name_length)) return;
        size += size < length;
        vector += size;
        length -= size;
    }
}

#define FIND_ENTRY(name)                                                                           \
    WRAP(char *, name, (const char *vector, size_t length, const char *wanted)) {                  \
        USE_STRING(wanted);                                                                        \
        check_entries(SITE, vector, length, wanted);                                               \
        return name(vector, length, wanted);                                                       \
    }

FIND_ENTRY(envz_entry)
FIND_ENTRY(envz_get)

WRAP(error_t, envz_add, (char **vector, size_t *length, const char *name, const char *value)) {
    CHANGE(vector, length);
    USE_STRING(name);
    USE_STRING_IF(value);
    CHANGED(vector, length, envz_add(vector, length, name, value));
}

WRAP(error_t, envz_merge,
     (char **vector, size_t *length, const char *from, size_t size, int override)) {
    CHANGE(vector, length);
    USE(from, size);
    CHANGED(vector, length, envz_merge(vector, length, from, size, override));
}

WRAP(void, envz_remove, (char **vector, size_t *length, const char *name)) {
    CHANGE(vector, length);
    USE_STRING(name);
    envz_remove(vector, length, name);
}

WRAP(void, envz_strip, (char **vector, size_t *length)) {
    CHANGE(vector, length);
    envz_strip(vector, length);
}
