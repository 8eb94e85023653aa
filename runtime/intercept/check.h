/* How library functions are checked.
 *
 * Instrumented code calls __whence_NAME where the program called NAME; code
 * that is not instrumented calls the C library as ever. In the preloaded
 * allocator the wrappers of kernel/ have the names of the functions, so all
 * code calls them. A wrapper checks, in the caller's name, what the function is
 * going to read and write, and then calls it:
 *
 *     WRAP(char *, strcpy, (char *to, const char *from)) {
 *         WRITE(to, READ_STRING(from) + 1);
 *         return strcpy(to, from);
 *     }
 *
 * Rules: never stricter than the function (what it does not touch is not
 * checked), checks come before the call wherever the extent is known before,
 * and errno is left alone. While undefined values are followed, USE and its like also report
 * undefined bytes that decide what the function does, or leave the process; copies pass them on.
 * The table of names is whence.abi.intercepts.
 */
#ifndef WHENCE_INTERCEPT_CHECK_H
#define WHENCE_INTERCEPT_CHECK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "arrivals.h"
#include "bounce.h"
#include "../rt/descriptors.h"

#define WRAP(type, name, parameters) WRAP_AS(type, name, name, parameters)
/* Where __whence_NAME is something else. */
#define WRAP_AS(type, name, own, parameters)                                                       \
    PORT_FOLLOWED(name)                                                                            \
    type __whence_##own parameters __asm__(PORT_SYMBOL(name, own));                                \
    WH_EXPORT type __whence_##own parameters
/* Inside a wrapper that both products have: the function that it stands for. */
#define NEXT(name) PORT_NEXT(name)

/* A wrapper of a function that stores up to `size` bytes at `to`, as many as its result says.
 * `check` is made before; in the arguments bounce.buffer stands for `to`. */
#define WRAP_FILLING(name, parameters, check, arguments)                                           \
    FILLING(name, parameters, check, NEXT(name) arguments, (void)0, (void)0)
/* The same of a function that reads from the descriptor `file`: `source`, at an offset or HERE. */
#define WRAP_FILLING_FROM(name, parameters, source, offset, arguments)                             \
    FILLING(name, parameters, (void)0, NEXT(name) arguments, USED(file, count),                    \
            CAME_FROM(source, offset, to, arrived(count)))
#define FILLING(name, parameters, check, result, after, last)                                      \
    WRAP(ssize_t, name, parameters) {                                                              \
        check;                                                                                     \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        ssize_t count = result;                                                                    \
        after;                                                                                     \
        bounce_end(SITE, &bounce, arrived(count));                                                 \
        last;                                                                                      \
        return count;                                                                              \
    }

/* Inside a wrapper: the wrapped function's name, and where the program called it. */
#define NAME (__func__ + sizeof "__whence_" - 1)
#define SITE ((struct site){NAME, FRAME_HERE})

#define NO_LIMIT SIZE_MAX

/* The bytes of a range that the function is certain to read decide what it does, or leave the
 * process: reports the first one that is undefined. The range is accessible. */
void check_used_bytes(struct site site, const void *pointer, size_t size);
static inline void check_used(struct site site, const void *pointer, size_t size) {
    if (VALUES_ON) check_used_bytes(site, pointer, size);
}
/* The same of two ranges that are compared up to their first difference. */
void check_compared(struct site site, const void *a, const void *b, size_t size);

/* Bytes from `string` to the first `stop` byte, which is not counted, or `most`;
 * checks that they, and the stop byte, can be read. */
size_t check_until(struct site site, const void *string, int stop, size_t most);

/* The same of a string that the function reads to its end. */
size_t check_used_until(struct site site, const void *string, int stop, size_t most);

/* The same in wide characters, up to the first zero. */
size_t check_wide(struct site site, const wchar_t *string, size_t most);

/* Bytes that can be read from `string` on, up to and with the first `stop` byte,
 * at most `most`; *found is set to whether it was there. Reports nothing. */
size_t readable_until(const void *string, int stop, size_t most, int *found);
/* The same up to the first byte that is `stop` or `other`. */
size_t readable_until_either(const void *string, int stop, int other, size_t most, int *found);

/* Checks what a comparison of two strings reads: up to the first difference. */
void check_compare(struct site site, const char *a, const char *b, size_t most, int fold);

/* How many bytes of a text with its final 0 a conversion to a number uses. */
typedef size_t (*number_end)(const char *text, int base);
size_t check_end_of_integer(const char *text, int base);
size_t check_end_of_real(const char *text, int base);
/* Checks a number in text: up to the first byte that does not belong to it. */
void check_number(struct site site, const char *text, number_end end_of, int base);
void check_wide_number(struct site site, const wchar_t *text, number_end end_of, int base);

/* Whether a structure that the kernel reads is there and accessible, by its first and its last
 * word where no block says so: else the kernel answers EFAULT, and a wrapper must not look into it.
 */
int is_there(const void *structure, size_t size);
/* Programs look by wild pointers whether memory is mapped, but not by null ones. */
static inline int is_null(const void *pointer) { return (uintptr_t)pointer < WH_NULL_PAGE_SIZE; }
/* Checks a text that only the kernel reads, up to PATH_MAX bytes. Where nothing is mapped the
 * kernel refuses it. */
void check_path(struct site site, const char *text);
/* The same of a structure that only the kernel accesses. */
void check_structure(struct site site, const void *structure, size_t size, int write);

/* Checks the format and strings that a printf reads, and where its %n store. */
void check_printf(struct site site, const char *format, va_list arguments);
/* The same of the strings alone. */
void check_printed(struct site site, const char *format, va_list arguments);
struct counting; /* NULL: nothing was counted */
/* After a scanf: what the first `assigned` conversions stored. Which are reached,
 * and how much they store, is not known before. */
void check_scanned(struct site site, const char *format, va_list arguments, int assigned,
                   struct intake *intake, const struct counting *counting);

#define READ(pointer, size) check_range(SITE, (pointer), (size), 0, (pointer))
#define WRITE(pointer, size) check_range(SITE, (pointer), (size), 1, (pointer))
/* Of what the function has written already. */
#define WROTE(pointer, size) (WRITE(pointer, size), NOW_WRITTEN(SITE, pointer, size))
#define WROTE_IF(pointer, size) ((pointer) ? WROTE(pointer, size) : (void)0)
#define WRITE_AT(pointer, size, root) check_range(SITE, (pointer), (size), 1, (root))
/* A stream: its first member, as the C library's own object is larger than the type. */
#define STREAM(stream) (READ(stream, sizeof(int)), announce_departs(NAME))
/* Of a set of signals, the words that the kernel knows. */
#define SET_SIZE (_NSIG / 8)
/* A pointer that may be NULL, which the function then leaves alone. */
#define READ_IF(pointer, size) ((pointer) ? READ(pointer, size) : (void)0)
#define WRITE_IF(pointer, size) ((pointer) ? WRITE(pointer, size) : (void)0)
#define READ_STRING(string) check_until(SITE, (string), 0, NO_LIMIT)
#define READ_STRING_N(string, most) check_until(SITE, (string), 0, (most))
#define READ_STRING_IF(string) ((string) ? (void)READ_STRING(string) : (void)0)
#define USE(pointer, size) (READ(pointer, size), check_used(SITE, (pointer), (size)))
#define USE_IF(pointer, size) ((pointer) ? USE(pointer, size) : (void)0)
#define USE_STRING(string) check_used_until(SITE, (string), 0, NO_LIMIT)
#define USE_STRING_N(string, most) check_used_until(SITE, (string), 0, (most))
#define USE_STRING_IF(string) ((string) ? (void)USE_STRING(string) : (void)0)
#define READ_PATH(path) check_path(SITE, (path))
/* A name that may be missing. */
#define READ_PATH_IF(path) ((path) ? READ_PATH(path) : (void)0)
static inline void bytes_copied(uintptr_t to, uintptr_t from, size_t size) {
    if (VALUES_ON) __whence_value_copy(to, from, size);
    announce_copied(to, from, size);
}
static inline void bytes_filled(uintptr_t to, size_t size) {
    if (VALUES_ON) __whence_value_define(to, size);
    announce_filled(to, size);
}
/* Bytes are about to be copied: undefined ones stay so, and others keep what is known of them. */
#define COPIES(to, from, size)                                                                     \
    (VALUES_ON || IS_HEARD(copied) ? bytes_copied((uintptr_t)(to), (uintptr_t)(from), (size))      \
                                   : (void)0)
/* Bytes are about to be written, or have been. */
#define FILLS(to, size)                                                                            \
    (VALUES_ON || IS_HEARD(filled) ? bytes_filled((uintptr_t)(to), (size)) : (void)0)
#define READ_WIDE(string) check_wide(SITE, (string), NO_LIMIT)
#define READ_WIDE_N(string, most) check_wide(SITE, (string), (most))

/* `result` of a function that was given the descriptor `file`. */
static inline long file_used(struct site site, int file, long result) {
    if (WH_UNLIKELY(result < 0) && descriptors_watched())
        descriptor_refused(file, site.function, site.frame);
    return result;
}

/* The same of a function that was given a name in `directory`; the kernel has read the name. An
 * empty one asks for the directory itself. */
static inline int file_used_at(struct site site, int directory, const char *path, int result) {
    if (WH_UNLIKELY(result < 0) && descriptors_watched() && errno == EBADF && path && *path &&
        *path != '/')
        descriptor_refused(directory, site.function, site.frame);
    return result;
}

/* The same of a function that returns an error's number. */
static inline int file_answered(struct site site, int file, int error) {
    if (WH_UNLIKELY(error == EBADF) && descriptors_watched())
        descriptor_missed(file, site.function, site.frame);
    return error;
}

/* The number that a standard stream has when a program begins; negative: it is none. */
int stream_number(const FILE *stream);
/* A function that was given a stream has failed, or there was no more to read. */
WH_COLD void stream_refused(struct site site, FILE *stream);

/* `file` is what a function that opens one has returned. */
static inline int file_opened(struct site site, int file) {
    if (WH_UNLIKELY(descriptors_watched())) descriptor_opened(file, site.frame);
    return file;
}

/* The same of a function that stores two if its result is 0. */
static inline int ends_opened(struct site site, int result, const int *ends) {
    if (result != 0 || !descriptors_watched()) return result;
    descriptor_opened(ends[0], site.frame);
    descriptor_opened(ends[1], site.frame);
    return result;
}

static inline void file_closing(struct site site, int file) {
    if (WH_UNLIKELY(descriptors_watched())) descriptor_closing(file, site.function, site.frame);
}

#define USED(file, result) file_used(SITE, (file), (result))
#define USED_AT(directory, path, result) file_used_at(SITE, (directory), (path), (result))
#define ANSWERED(file, error) file_answered(SITE, (file), (error))
#define TRIED(stream, fails) TRIED_AT(SITE, stream, fails)
#define TRIED_AT(site, stream, fails)                                                              \
    (WH_UNLIKELY(fails) ? stream_refused((site), (stream)) : (void)0)
#define OPENED(result) file_opened(SITE, (result))

/* The function cannot do without this pointer, to something that only the library accesses. */
#define NOT_NULL(pointer) (WH_UNLIKELY(!(pointer)) ? access_null(NAME, FRAME_HERE) : (void)0)

/* `written` bytes at `to` are copied from `read` bytes at `from`, which must not overlap them. */
static inline void check_apart(struct site site, const void *to, size_t written, const void *from,
                               size_t read) {
    uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;
    int overlap = a < b ? b - a < written && read : a - b < read && written;
    if (WH_UNLIKELY(overlap)) access_overlap(a, written, b, read, site.function, site.frame);
}
#define APART(to, written, from, read) check_apart(SITE, (to), (written), (from), (read))
/* The same of memcpy and its like: to copy a range onto itself hurts nobody, and compilers do
 * it. */
#define RANGES_APART(to, from, size)                                                               \
    ((const void *)(to) != (const void *)(from) ? APART(to, size, from, size) : (void)0)

/* count * size; the largest size where that overflows */
static inline size_t bytes_of(size_t count, size_t size) {
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

#endif
