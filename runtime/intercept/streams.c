/* stdio.h: streams. */
#include <stdarg.h>
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* ---- reading ---- */

/* A line read into `bounce`, as fgets returns it. */
static char *end_line(struct site site, struct bounce *bounce, char *line, char *to, int size,
                      FILE *stream, struct intake *intake) {
    if (!line) stream_refused(site, stream);
    size_t length = line ? strlen(line) : 0;
    /* A line with zeros in it is longer than its text. */
    int all = length && (line[length - 1] == '\n' || length + 1 == (size_t)size);
    bounce_end(site, bounce, line ? length + 1 : 0);
    CAME_FROM_STREAM(site, intake, to, length, all);
    return line ? to : NULL;
}

#define READ_LINE(name)                                                                            \
    WRAP(char *, name, (char *to, int size, FILE *stream)) {                                       \
        STREAM(stream);                                                                            \
        struct intake intake = INTAKE(stream);                                                     \
        struct bounce bounce = bounce_begin(SITE, to, size > 0 ? (size_t)size : 0);                \
        return end_line(SITE, &bounce, name(bounce.buffer, size, stream), to, size, stream,        \
                        &intake);                                                                  \
    }

READ_LINE(fgets)
READ_LINE(fgets_unlocked)

char *__fgets_chk(char *, size_t, int, FILE *);
WRAP(char *, __fgets_chk, (char *to, size_t room, int size, FILE *stream)) {
    STREAM(stream);
    struct intake intake = INTAKE(stream);
    struct bounce bounce = bounce_begin(SITE, to, size > 0 ? (size_t)size : 0);
    return end_line(SITE, &bounce, __fgets_chk(bounce.buffer, room, size, stream), to, size, stream,
                    &intake);
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
    TRIED(stdin, c == EOF);
    if (c == EOF && !length) return NULL;
    WRITE_AT(to + length, 1, to);
    to[length] = 0;
    return to;
}

/* `length` bytes have been stored, and a final zero. */
static ssize_t delimited(struct site site, char **line, ssize_t length, FILE *stream,
                         struct intake *intake) {
    if (length < 0) {
        stream_refused(site, stream);
        return length;
    }
    FILLS(*line, (size_t)length + 1);
    CAME_FROM_STREAM(site, intake, *line, (size_t)length, 1);
    return length;
}

#define READ_ALLOCATED(name)                                                                       \
    WRAP(ssize_t, name, (char **line, size_t *size, int stop, FILE *stream)) {                     \
        WRITE(line, sizeof *line);                                                                 \
        WRITE(size, sizeof *size);                                                                 \
        WRITE_IF(*line, *size);                                                                    \
        STREAM(stream);                                                                            \
        struct intake intake = INTAKE(stream);                                                     \
        return delimited(SITE, line, name(line, size, stop, stream), stream, &intake);             \
    }

READ_ALLOCATED(getdelim)
READ_ALLOCATED(__getdelim)

WRAP(ssize_t, getline, (char **line, size_t *size, FILE *stream)) {
    WRITE(line, sizeof *line);
    WRITE(size, sizeof *size);
    WRITE_IF(*line, *size);
    STREAM(stream);
    struct intake intake = INTAKE(stream);
    return delimited(SITE, line, getline(line, size, stream), stream, &intake);
}

/* ---- writing ---- */

WRAP(int, fputs, (const char *string, FILE *stream)) {
    USE_STRING(string);
    STREAM(stream);
    int result = fputs(string, stream);
    TRIED(stream, result < 0);
    if (IS_HEARD(left)) left_as_string(SITE, stream, string, 0, result);
    return result;
}

WRAP(int, fputs_unlocked, (const char *string, FILE *stream)) {
    USE_STRING(string);
    STREAM(stream);
    int result = fputs_unlocked(string, stream);
    TRIED(stream, result < 0);
    if (IS_HEARD(left)) left_as_string(SITE, stream, string, 0, result);
    return result;
}

WRAP(int, puts, (const char *string)) {
    USE_STRING(string);
    int result = puts(string);
    TRIED(stdout, result < 0);
    if (IS_HEARD(left)) left_as_string(SITE, stdout, string, 1, result);
    return result;
}

WRAP(void, perror, (const char *string)) {
    USE_STRING_IF(string);
    perror(string);
}

/* ---- opening ---- */

#define OPEN(name)                                                                                 \
    WRAP(FILE *, name, (const char *path, const char *mode)) {                                     \
        READ_PATH(path);                                                                           \
        USE_STRING(mode);                                                                          \
        FILE *stream = name(path, mode);                                                           \
        if (stream && descriptors_watched()) OPENED(fileno(stream));                               \
        return stream;                                                                             \
    }

OPEN(fopen)
OPEN(fopen64)
OPEN(popen)

#define OPEN_TEMPORARY(name)                                                                       \
    WRAP(FILE *, name, (void)) {                                                                   \
        FILE *stream = name();                                                                     \
        if (stream && descriptors_watched()) OPENED(fileno(stream));                               \
        return stream;                                                                             \
    }

OPEN_TEMPORARY(tmpfile)
OPEN_TEMPORARY(tmpfile64)

/* A stream that cannot be opened again is closed. */
static void reopened(struct site site, FILE *stream, int file) {
    if (stream)
        file_opened(site, file_of(stream));
    else
        descriptor_lost(file, site.frame);
}

#define REOPEN(name)                                                                               \
    WRAP(FILE *, name, (const char *path, const char *mode, FILE *stream)) {                       \
        READ_PATH_IF(path);                                                                        \
        USE_STRING(mode);                                                                          \
        STREAM(stream);                                                                            \
        int watched = descriptors_watched(), file = watched ? file_of(stream) : -1;                \
        FILE *result = name(path, mode, stream);                                                   \
        if (watched) reopened(SITE, result, file);                                                 \
        return result;                                                                             \
    }

REOPEN(freopen)
REOPEN(freopen64)

WRAP(FILE *, fdopen, (int file, const char *mode)) {
    USE_STRING(mode);
    FILE *stream = fdopen(file, mode);
    if (!stream) file_used(SITE, file, -1);
    return stream;
}

WRAP(FILE *, fmemopen, (void *buffer, size_t size, const char *mode)) {
    USE_STRING(mode);
    WRITE_IF(buffer, size);
    return fmemopen(buffer, size, mode);
}

WRAP(int, setvbuf, (FILE * stream, char *buffer, int mode, size_t size)) {
    STREAM(stream);
    WRITE_IF(buffer, size);
    return setvbuf(stream, buffer, mode, size);
}

WRAP(void, setbuf, (FILE * stream, char *buffer)) {
    STREAM(stream);
    WRITE_IF(buffer, BUFSIZ);
    setbuf(stream, buffer);
}

WRAP(int, remove, (const char *path)) {
    READ_PATH(path);
    return remove(path);
}

WRAP(int, rename, (const char *from, const char *to)) {
    READ_PATH(from);
    READ_PATH(to);
    return rename(from, to);
}

#define RENAMED(result) USED_AT(from_directory, from, USED_AT(to_directory, to, result))

WRAP(int, renameat, (int from_directory, const char *from, int to_directory, const char *to)) {
    READ_STRING_IF(from);
    READ_STRING_IF(to);
    return RENAMED(renameat(from_directory, from, to_directory, to));
}

WRAP(int, renameat2,
     (int from_directory, const char *from, int to_directory, const char *to, unsigned flags)) {
    READ_STRING_IF(from);
    READ_STRING_IF(to);
    return RENAMED(renameat2(from_directory, from, to_directory, to, flags));
}

WRAP(FILE *, open_memstream, (char **text, size_t *size)) {
    WRITE(text, sizeof *text);
    WRITE(size, sizeof *size);
    return open_memstream(text, size);
}

WRAP(FILE *, open_wmemstream, (wchar_t * *text, size_t *size)) {
    WRITE(text, sizeof *text);
    WRITE(size, sizeof *size);
    return open_wmemstream(text, size);
}

WRAP(FILE *, fopencookie, (void *cookie, const char *mode, cookie_io_functions_t functions)) {
    USE_STRING(mode);
    return fopencookie(cookie, mode, functions);
}

WRAP(void, setbuffer, (FILE * stream, char *buffer, size_t size)) {
    STREAM(stream);
    WRITE_IF(buffer, size);
    setbuffer(stream, buffer, size);
}

WRAP(char *, tempnam, (const char *directory, const char *prefix)) {
    READ_STRING_IF(directory);
    READ_STRING_IF(prefix);
    return tempnam(directory, prefix);
}

WRAP(char *, tmpnam, (char *to)) {
    WRITE_IF(to, L_tmpnam);
    return tmpnam(to);
}

WRAP(char *, getpass, (const char *prompt)) {
    READ_STRING(prompt);
    return getpass(prompt);
}

/* ---- what only needs the stream: after fclose that is freed memory ---- */

#define OF_STREAM(type, name)                                                                      \
    WRAP(type, name, (FILE * stream)) {                                                            \
        STREAM(stream);                                                                            \
        return name(stream);                                                                       \
    }

#define OF_STREAM_AND(type, name, other)                                                           \
    WRAP(type, name, (FILE * stream, other argument)) {                                            \
        STREAM(stream);                                                                            \
        return name(stream, argument);                                                             \
    }

#define TO_STREAM(type, name, other)                                                               \
    WRAP(type, name, (other argument, FILE * stream)) {                                            \
        STREAM(stream);                                                                            \
        return name(argument, stream);                                                             \
    }

#define SEEK(name, offset)                                                                         \
    WRAP(int, name, (FILE * stream, offset place, int whence)) {                                   \
        STREAM(stream);                                                                            \
        int result = name(stream, place, whence);                                                  \
        TRIED(stream, result < 0);                                                                 \
        return result;                                                                             \
    }

static void stream_closing(struct site site, FILE *stream) {
    int file = file_of(stream), number = stream_number(stream);
    if (number >= 0) descriptor_stream_closing((unsigned)number, file, site.function, site.frame);
    file_closing(site, file);
}

#define CLOSE(name)                                                                                \
    WRAP(int, name, (FILE * stream)) {                                                             \
        STREAM(stream);                                                                            \
        if (descriptors_watched()) stream_closing(SITE, stream);                                   \
        return name(stream);                                                                       \
    }

CLOSE(fclose)
CLOSE(pclose)

/* A byte as the result, or EOF. */
static int given(struct site site, int byte, FILE *stream, struct intake *intake) {
    TRIED_AT(site, stream, byte < 0);
    if (byte != EOF) announce_returned(site.function, site.frame, intake, (uint8_t)byte);
    return byte;
}

#define GET(name)                                                                                  \
    WRAP(int, name, (FILE * stream)) {                                                             \
        STREAM(stream);                                                                            \
        struct intake intake = INTAKE(stream);                                                     \
        return given(SITE, name(stream), stream, &intake);                                         \
    }

#define GET_STANDARD(name)                                                                         \
    WRAP(int, name, (void)) {                                                                      \
        struct intake intake = INTAKE(stdin);                                                      \
        return given(SITE, name(), stdin, &intake);                                                \
    }

GET(fgetc)
GET(getc)
GET(fgetc_unlocked)
GET(getc_unlocked)
GET_STANDARD(getchar)
GET_STANDARD(getchar_unlocked)
OF_STREAM(int, getw)

#define GET_WIDE(name)                                                                             \
    WRAP(wint_t, name, (FILE * stream)) {                                                          \
        STREAM(stream);                                                                            \
        wint_t result = name(stream);                                                              \
        TRIED(stream, result == WEOF);                                                             \
        return result;                                                                             \
    }

GET_WIDE(fgetwc)
GET_WIDE(getwc)
GET_WIDE(fgetwc_unlocked)
GET_WIDE(getwc_unlocked)
OF_STREAM(int, feof)
OF_STREAM(int, ferror)
OF_STREAM(void, clearerr)
OF_STREAM(int, feof_unlocked)
OF_STREAM(int, ferror_unlocked)
OF_STREAM(void, clearerr_unlocked)
OF_STREAM(int, fileno)
OF_STREAM(int, fileno_unlocked)
OF_STREAM(long, ftell)
OF_STREAM(off_t, ftello)
OF_STREAM(off64_t, ftello64)
OF_STREAM(void, rewind)
OF_STREAM(void, setlinebuf)
OF_STREAM(void, flockfile)
OF_STREAM(void, funlockfile)
OF_STREAM(int, ftrylockfile)
OF_STREAM_AND(int, fwide, int)

#define PUT(name)                                                                                  \
    WRAP(int, name, (int byte, FILE *stream)) {                                                    \
        STREAM(stream);                                                                            \
        int result = name(byte, stream);                                                           \
        TRIED(stream, result < 0);                                                                 \
        if (IS_HEARD(left)) left_as_byte(SITE, stream, result);                                    \
        return result;                                                                             \
    }

#define PUT_STANDARD(name)                                                                         \
    WRAP(int, name, (int byte)) {                                                                  \
        int result = name(byte);                                                                   \
        TRIED(stdout, result < 0);                                                                 \
        if (IS_HEARD(left)) left_as_byte(SITE, stdout, result);                                    \
        return result;                                                                             \
    }

PUT(fputc)
PUT(putc)
PUT(fputc_unlocked)
PUT(putc_unlocked)
PUT_STANDARD(putchar)
PUT_STANDARD(putchar_unlocked)
TO_STREAM(int, putw, int)
WRAP(int, ungetc, (int byte, FILE *stream)) {
    STREAM(stream);
    if (byte != EOF) announce_undone(stream);
    return ungetc(byte, stream);
}

#define PUT_WIDE(name)                                                                             \
    WRAP(wint_t, name, (wchar_t letter, FILE * stream)) {                                          \
        STREAM(stream);                                                                            \
        wint_t result = name(letter, stream);                                                      \
        TRIED(stream, result == WEOF);                                                             \
        return result;                                                                             \
    }

PUT_WIDE(fputwc)
PUT_WIDE(putwc)
PUT_WIDE(fputwc_unlocked)
PUT_WIDE(putwc_unlocked)
TO_STREAM(wint_t, ungetwc, wint_t)
SEEK(fseek, long)
SEEK(fseeko, off_t)
SEEK(fseeko64, off64_t)

#define FLUSH(name)                                                                                \
    WRAP(int, name, (FILE * stream)) {                                                             \
        if (stream) STREAM(stream); /* NULL: all streams */                                        \
        int result = name(stream);                                                                 \
        if (stream) TRIED(stream, result);                                                         \
        return result;                                                                             \
    }

FLUSH(fflush)
FLUSH(fflush_unlocked)

#define PLACE(get, set, type)                                                                      \
    WRAP(int, get, (FILE * stream, type * place)) {                                                \
        STREAM(stream);                                                                            \
        WRITE(place, sizeof *place);                                                               \
        return get(stream, place);                                                                 \
    }                                                                                              \
    WRAP(int, set, (FILE * stream, const type *place)) {                                           \
        STREAM(stream);                                                                            \
        READ(place, sizeof *place);                                                                \
        return set(stream, place);                                                                 \
    }

PLACE(fgetpos, fsetpos, fpos_t)
PLACE(fgetpos64, fsetpos64, fpos64_t)

#define GET_WIDE_LINE(name)                                                                        \
    WRAP(wchar_t *, name, (wchar_t * to, int size, FILE *stream)) {                                \
        STREAM(stream);                                                                            \
        struct bounce bounce =                                                                     \
            bounce_begin(SITE, to, size > 0 ? bytes_of((size_t)size, sizeof *to) : 0);             \
        wchar_t *line = name(bounce.buffer, size, stream);                                         \
        TRIED(stream, !line);                                                                      \
        bounce_end(SITE, &bounce, line ? (wcslen(line) + 1) * sizeof *to : 0);                     \
        return line ? to : NULL;                                                                   \
    }

#define PUT_WIDE_TEXT(name)                                                                        \
    WRAP(int, name, (const wchar_t *string, FILE *stream)) {                                       \
        READ_WIDE(string);                                                                         \
        STREAM(stream);                                                                            \
        int result = name(string, stream);                                                         \
        TRIED(stream, result < 0);                                                                 \
        return result;                                                                             \
    }

GET_WIDE_LINE(fgetws)
GET_WIDE_LINE(fgetws_unlocked)
PUT_WIDE_TEXT(fputws)
PUT_WIDE_TEXT(fputws_unlocked)
