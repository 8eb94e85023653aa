/* What library functions give the program from outside of the process, for the chains of values
 * (origins/given.h). Only the calls of checked code say where they stand. */
#ifndef WHENCE_INTERCEPT_ARRIVALS_H
#define WHENCE_INTERCEPT_ARRIVALS_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/uio.h>
#include "bounce.h"
#include "../events/events.h"
#include "../origins/given.h"
#include "../origins/nodes.h"
#include "../origins/written.h"

/* In place of an offset: what was read ends where the file's own place is. */
#define HERE UINT64_MAX

/* Bytes of a file, from an offset on, are now at `to`. */
void arrived_from_file(struct site site, int file, uint64_t offset, const void *to, size_t size);
/* The same in parts, of which the first `size` bytes are filled. */
void arrived_in_parts(struct site site, int file, uint64_t offset, const struct iovec *parts,
                      size_t count, size_t size);
/* A part of a file is mapped at an address. */
void arrived_as_mapping(struct site site, int file, uint64_t offset, const void *at, size_t size);
/* The function returns a pointer that it has not made. */
void arrived_as_pointer(struct site site, const void *pointer);
/* The function returns the number that the first bytes of a text stand for. */
void parsed_as_result(struct site site, const char *text, size_t size, uint64_t result);

#define CAME_FROM(file, offset, to, size)                                                          \
    (ORIGINS_ON ? arrived_from_file(SITE, (file), (uint64_t)(offset), (to), (size)) : (void)0,     \
     announce_arrived(NAME, FRAME_HERE, (uintptr_t)(to), (size)))
#define CAME_AS_MAPPING(file, offset, at, size)                                                    \
    (ORIGINS_ON ? arrived_as_mapping(SITE, (file), (uint64_t)(offset), (at), (size)) : (void)0)
#define CAME_IN_PARTS(file, offset, parts, count, size)                                            \
    (ORIGINS_ON                                                                                    \
         ? arrived_in_parts(SITE, (file), (uint64_t)(offset), (parts), (size_t)(count), (size))    \
         : (void)0,                                                                                \
     IS_HEARD(arrived) ? arrived_parts(SITE, (parts), (size_t)(count), (size)) : (void)0)

/* Announces what arrived in parts. */
void arrived_parts(struct site site, const struct iovec *parts, size_t count, size_t size);

/* Bytes are about to be written, if they can be, or have been. */
void announce_written(struct site site, const void *to, size_t size);
#define SOON_WRITTEN(site, to, size)                                                               \
    (WH_UNLIKELY(written_is_asked()) ? announce_written((site), (to), (size)) : (void)0)
#define NOW_WRITTEN(site, to, size)                                                                \
    (WH_UNLIKELY(written_is_asked()) ? written_already((site).function, (uintptr_t)(to), (size))   \
                                     : (void)0)

/* The descriptor of a stream, negative if it has none, as one in memory: then fileno sets errno. */
static inline int file_of(FILE *stream) {
    int error = errno, file = fileno(stream);
    errno = error;
    return file;
}

/* ---- functions that take something from a stream, or parts of a text ---- */

struct arrival {
    struct whence_origin_site *call;
    FILE *stream;
    const char *text;
    int64_t place;            /* of the stream, before; -1: it has none */
    uint32_t node;            /* of all that was taken */
    struct input_bytes bytes; /* the same, of a stream */
};

/* Bytes of what was taken; negative: it is not known which. */
struct part {
    int begin, end;
};

struct arrival arrival_began(struct site site, FILE *stream, const char *text);
/* Before the call of a function that takes something from a stream. */
#define ARRIVAL(stream) (ORIGINS_ON ? arrival_began(SITE, (stream), NULL) : (struct arrival){0})
/* The same where it takes numbers and words of a text. */
#define ARRIVAL_OF_TEXT(text) (ORIGINS_ON ? arrival_began(SITE, NULL, (text)) : (struct arrival){0})

/* So many bytes of the stream are now at `to`. all: whether no others were taken. */
void arrival_put(struct site site, struct arrival *arrival, const void *to, size_t size, int all);
/* The function returns a byte of the stream. */
void arrival_returned(struct site site, struct arrival *arrival, int byte);
/* The function has taken what it takes, so many bytes, and will have stored parts of it. negative:
 * it is not known how many. */
void arrival_taken(struct site site, struct arrival *arrival, int all);
/* is_text: whether the bytes are those of the part, with a 0 behind them. */
void arrival_stored(struct site site, const struct arrival *arrival, const void *to, size_t size,
                    struct part part, int is_text);
/* A byte was put back to a stream. */
void arrival_undone(FILE *stream);

/* ---- what the program sends to the outside ---- */

/* Bytes at `from` are now in a file, from an offset on; size: -1 where the call has failed. */
void left_to_file(struct site site, int file, uint64_t offset, const void *from, int64_t size);
void left_in_parts(struct site site, int file, uint64_t offset, const struct iovec *parts,
                   size_t count, int64_t size);
/* Bytes are now in a stream, or on their way through it. */
void left_to_stream(struct site site, FILE *stream, const void *from, int64_t size);
/* The same of a text, and a new line if `is_line`. */
void left_as_string(struct site site, FILE *stream, const char *text, int is_line, int result);
/* The same of a byte that is the function's first argument; EOF: it has failed. */
void left_as_byte(struct site site, FILE *stream, int byte);
/* The same of a formatted text of so many bytes; to a descriptor if the stream is NULL. */
void left_as_text(struct site site, FILE *stream, int file, const char *format, va_list arguments,
                  int length);

#define LEFT_TO(file, offset, from, size)                                                          \
    (ORIGINS_ON ? left_to_file(SITE, (file), (uint64_t)(offset), (from), (size)) : (void)0)
#define LEFT_IN_PARTS(file, offset, parts, count, size)                                            \
    (ORIGINS_ON                                                                                    \
         ? left_in_parts(SITE, (file), (uint64_t)(offset), (parts), (size_t)(count), (size))       \
         : (void)0)

#endif
