/* The buffers of iostream, for the chains of what streams read and write: those of texts in memory,
 * whose bytes have chains themselves, and of files, which have places. Layouts are those of
 * libstdc++. A buffer of the program's own class is looked at only if it reads and writes as the
 * library's do. */
#ifndef WHENCE_INTERCEPT_CXX_BUFFERS_H
#define WHENCE_INTERCEPT_CXX_BUFFERS_H

#include <stdint.h>
#include "check.h"

enum buffer_kind { BUFFER_OTHER, BUFFER_TEXT, BUFFER_FILE, BUFFER_STDIO };

struct cxx_buffer {
    const uintptr_t *functions;
    const char *get_begin, *get, *get_end;
    const char *put_begin, *put, *put_end;
    const void *locale;
};

/* The buffer of a std::istream or std::ostream; NULL: it has none. */
const struct cxx_buffer *buffer_of(const void *stream);
enum buffer_kind buffer_kind(const struct cxx_buffer *buffer);

/* The descriptor of a buffer of a file; negative: it has none. */
int buffer_file(const struct cxx_buffer *buffer, enum buffer_kind kind);
/* Where the next byte that it gives is in the file; -1: there are no places. */
int64_t buffer_place(const struct cxx_buffer *buffer, enum buffer_kind kind);

/* Whether the last operation on a stream has failed. */
int stream_has_failed(const void *stream);

/* ---- what a function takes from a stream ---- */

struct taking {
    struct whence_origin_site *call; /* NULL: no chains are asked for */
    int is_followed;                 /* somebody wants to know what arrives */
    const struct cxx_buffer *buffer;
    enum buffer_kind kind;
    const char *begin, *at; /* of a text */
    int64_t place;          /* of a file */
};

/* Before it does; `site` is of a function of std::istream. */
struct taking taking_begin(struct site site, const void *stream);
/* The same of a buffer itself, for a call. */
struct taking taking_buffer(struct whence_origin_site *call, const struct cxx_buffer *buffer);
/* It has stored so many bytes, of which the text that was taken begins, or ends, with the first or
 * the last one. */
void taking_put_first(struct site site, const struct taking *taking, const char *to, size_t size);
void taking_put_last(struct site site, const struct taking *taking, const char *to, size_t size);
/* It has made a number of the text. */
void taking_number(struct site site, const struct taking *taking, const void *to, size_t size);

/* The same of a function that returns the next byte, whose call says what it is. */
struct taking taking_byte(struct site site, const void *stream);
void taking_returned(struct site site, const struct taking *taking, int byte);

/* ---- what a function puts into the text of a stream ---- */

struct putting {
    struct whence_origin_site *call; /* NULL: it is no text, or no chains are asked for */
    int is_followed;                 /* it is a text, and somebody wants to know what is copied */
    const struct cxx_buffer *buffer;
    const char *begin, *at;
};

struct putting putting_begin(struct site site, const void *stream);
/* It has put a text there, or the function's argument of this number, `is_byte`, or made a text of
 * it. */
void putting_text(const struct putting *putting, const char *from, size_t size);
void putting_argument(const struct putting *putting, unsigned index, uint64_t value, int is_byte);
/* It has put there what it has taken from another buffer. */
void putting_taken(struct site site, const struct putting *putting, const struct taking *taking);

#endif
