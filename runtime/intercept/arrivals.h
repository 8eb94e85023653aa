/* What library functions give the program from outside of the process, and what it sends there: as
 * events, of which each is one test where nobody listens. */
#ifndef WHENCE_INTERCEPT_ARRIVALS_H
#define WHENCE_INTERCEPT_ARRIVALS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/uio.h>
#include "bounce.h"
#include "../events/events.h"
#include "../origins/written.h"
#include "../process/stream.h"

#define HERE TRANSFER_HERE

/* ---- descriptors ---- */

/* Bytes of a file, from an offset on, are now at `to`. */
void came_from(struct site site, int file, uint64_t offset, const void *to, size_t size);
/* The same in parts, of which the first `size` bytes are filled. */
void came_in_parts(struct site site, int file, uint64_t offset, const struct iovec *parts,
                   size_t count, size_t size);
/* Bytes at `from` are now in a file, from an offset on; size: -1 where the call has failed. */
void left_to(struct site site, int file, uint64_t offset, const void *from, int64_t size);
void left_in_parts(struct site site, int file, uint64_t offset, const struct iovec *parts,
                   size_t count, int64_t size);

#define CAME_FROM(file, offset, to, size)                                                          \
    (IS_HEARD(arrived) ? came_from(SITE, (file), (uint64_t)(offset), (to), (size)) : (void)0)
#define CAME_IN_PARTS(file, offset, parts, count, size)                                            \
    (IS_HEARD(arrived)                                                                             \
         ? came_in_parts(SITE, (file), (uint64_t)(offset), (parts), (size_t)(count), (size))       \
         : (void)0)
#define CAME_AS_MAPPING(file, offset, at, size)                                                    \
    announce_shown(NAME, (file), (uint64_t)(offset), (uintptr_t)(at), (size))
#define LEFT_TO(file, offset, from, size)                                                          \
    (IS_HEARD(left) ? left_to(SITE, (file), (uint64_t)(offset), (from), (size)) : (void)0)
#define LEFT_IN_PARTS(file, offset, parts, count, size)                                            \
    (IS_HEARD(left)                                                                                \
         ? left_in_parts(SITE, (file), (uint64_t)(offset), (parts), (size_t)(count), (size))       \
         : (void)0)

/* ---- streams, and parts of a text ---- */

static inline struct intake intake_of(struct site site, FILE *stream, const char *text) {
    struct intake intake = {.stream = stream, .text = text};
    announce_takes(site.function, &intake);
    return intake;
}
/* Before the call of a function that takes something from a stream. */
#define INTAKE(stream) intake_of(SITE, (stream), NULL)
/* The same where it takes numbers and words of a text. */
#define INTAKE_OF_TEXT(text) intake_of(SITE, NULL, (text))

/* So many bytes of the stream are now at `to`. all: whether no others were taken. */
void came_from_stream(struct site site, struct intake *intake, const void *to, size_t size,
                      int all);
#define CAME_FROM_STREAM(site, intake, to, size, all)                                              \
    (IS_HEARD(arrived) ? came_from_stream((site), (intake), (to), (size), (all)) : (void)0)

/* Bytes are now in a stream, or on their way through it; size: negative where that has failed. */
void left_to_stream(struct site site, FILE *stream, const void *from, int64_t size);
/* The same of a text, and a new line if `is_line`. */
void left_as_string(struct site site, FILE *stream, const char *text, int is_line, int result);
/* The same of a byte that is the function's first argument; EOF: it has failed. */
void left_as_byte(struct site site, FILE *stream, int byte);
/* The same of a formatted text of so many bytes; to a descriptor if the stream is NULL. */
void left_as_text(struct site site, FILE *stream, int file, const char *format, va_list arguments,
                  int length);

/* ---- what is written otherwise ---- */

/* Bytes are about to be written, if they can be, or have been. */
void announce_written(struct site site, const void *to, size_t size);
#define SOON_WRITTEN(site, to, size)                                                               \
    (WH_UNLIKELY(written_is_asked()) ? announce_written((site), (to), (size)) : (void)0)
#define NOW_WRITTEN(site, to, size)                                                                \
    (WH_UNLIKELY(written_is_asked()) ? written_already((site).function, (uintptr_t)(to), (size))   \
                                     : (void)0)

#endif
