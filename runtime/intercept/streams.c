/* stdio.h: streams. */
#include <stdarg.h>
#include "check.h"

#include <stdio.h>
#include <string.h>

/* ---- reading ---- */

#define READ_ITEMS(name)                                                                           \
    WRAP(size_t, name, (void *to, size_t size, size_t count, FILE *stream)) {                      \
        struct bounce bounce = bounce_begin(SITE, to, times(count, size));                         \
        size_t items = name(bounce.buffer, size, count, stream);                                   \
        bounce_end(SITE, &bounce, items * size);                                                   \
        return items;                                                                              \
    }

READ_ITEMS(fread)
READ_ITEMS(fread_unlocked)

size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
WRAP(size_t, __fread_chk, (void *to, size_t room, size_t size, size_t count, FILE *stream)) {
    struct bounce bounce = bounce_begin(SITE, to, times(count, size));
    size_t items = __fread_chk(bounce.buffer, room, size, count, stream);
    bounce_end(SITE, &bounce, items * size);
    return items;
}

/* A line read into `bounce`, as fgets returns it. */
static char *end_line(struct site site, struct bounce *bounce, char *line, char *to) {
    bounce_end(site, bounce, line ? strlen(line) + 1 : 0);
    return line ? to : NULL;
}

#define READ_LINE(name)                                                                            \
    WRAP(char *, name, (char *to, int size, FILE *stream)) {                                       \
        struct bounce bounce = bounce_begin(SITE, to, size > 0 ? (size_t)size : 0);                \
        return end_line(SITE, &bounce, name(bounce.buffer, size, stream), to);                     \
    }

READ_LINE(fgets)
READ_LINE(fgets_unlocked)

char *__fgets_chk(char *, size_t, int, FILE *);
WRAP(char *, __fgets_chk, (char *to, size_t room, int size, FILE *stream)) {
    struct bounce bounce = bounce_begin(SITE, to, size > 0 ? (size_t)size : 0);
    return end_line(SITE, &bounce, __fgets_chk(bounce.buffer, room, size, stream), to);
}

/* No longer declared, still there. It is read by bytes, so that the check comes first. */
char *gets(char *);
WRAP(char *, gets, (char *to)) {
    size_t length = 0;
    int c;
    while ((c = getchar()) != EOF && c != '\n') {
        WRITE_AT(to + length, 1, to);
        to[length++] = (char)c;
    }
    if (c == EOF && !length) return NULL;
    WRITE_AT(to + length, 1, to);
    to[length] = 0;
    return to;
}

#define READ_ALLOCATED(name)                                                                       \
    WRAP(ssize_t, name, (char **line, size_t *size, int stop, FILE *stream)) {                     \
        WRITE(line, sizeof *line);                                                                 \
        WRITE(size, sizeof *size);                                                                 \
        WRITE_IF(*line, *size);                                                                    \
        return name(line, size, stop, stream);                                                     \
    }

READ_ALLOCATED(getdelim)
READ_ALLOCATED(__getdelim)

WRAP(ssize_t, getline, (char **line, size_t *size, FILE *stream)) {
    WRITE(line, sizeof *line);
    WRITE(size, sizeof *size);
    WRITE_IF(*line, *size);
    return getline(line, size, stream);
}

/* ---- writing ---- */

#define WRITE_ITEMS(name)                                                                          \
    WRAP(size_t, name, (const void *from, size_t size, size_t count, FILE *stream)) {              \
        READ(from, times(count, size));                                                            \
        return name(from, size, count, stream);                                                    \
    }

WRITE_ITEMS(fwrite)
WRITE_ITEMS(fwrite_unlocked)

WRAP(int, fputs, (const char *string, FILE *stream)) {
    READ_STRING(string);
    return fputs(string, stream);
}

WRAP(int, fputs_unlocked, (const char *string, FILE *stream)) {
    READ_STRING(string);
    return fputs_unlocked(string, stream);
}

WRAP(int, puts, (const char *string)) {
    READ_STRING(string);
    return puts(string);
}

WRAP(void, perror, (const char *string)) {
    READ_STRING_IF(string);
    perror(string);
}

/* ---- opening ---- */

#define OPEN(name)                                                                                 \
    WRAP(FILE *, name, (const char *path, const char *mode)) {                                     \
        READ_STRING_IF(path);                                                                      \
        READ_STRING(mode);                                                                         \
        return name(path, mode);                                                                   \
    }

OPEN(fopen)
OPEN(fopen64)
OPEN(popen)

#define REOPEN(name)                                                                               \
    WRAP(FILE *, name, (const char *path, const char *mode, FILE *stream)) {                       \
        READ_STRING_IF(path);                                                                      \
        READ_STRING(mode);                                                                         \
        return name(path, mode, stream);                                                           \
    }

REOPEN(freopen)
REOPEN(freopen64)

WRAP(FILE *, fdopen, (int file, const char *mode)) {
    READ_STRING(mode);
    return fdopen(file, mode);
}

WRAP(FILE *, fmemopen, (void *buffer, size_t size, const char *mode)) {
    READ_STRING(mode);
    WRITE_IF(buffer, size);
    return fmemopen(buffer, size, mode);
}

WRAP(int, setvbuf, (FILE * stream, char *buffer, int mode, size_t size)) {
    WRITE_IF(buffer, size);
    return setvbuf(stream, buffer, mode, size);
}

WRAP(void, setbuf, (FILE * stream, char *buffer)) {
    WRITE_IF(buffer, BUFSIZ);
    setbuf(stream, buffer);
}

WRAP(int, remove, (const char *path)) {
    READ_STRING_IF(path);
    return remove(path);
}

WRAP(int, rename, (const char *from, const char *to)) {
    READ_STRING_IF(from);
    READ_STRING_IF(to);
    return rename(from, to);
}
