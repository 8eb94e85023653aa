#include "cxx_buffers.h"
#include "../origins/cells.h"
#include "../origins/given.h"
#include "../origins/passing.h"
#include "../origins/printing.h"
#include "../process/outside.h"
#include "../replace/cxx.h"

#include <stdio.h>
#include <string.h>

#define VIRTUAL_BASE (-3) /* in the table of a stream's virtual functions */
/* In that of a buffer. */
enum { SEEK = 4, READ_MANY = 8, UNDERFLOW, TAKE, WRITE_MANY = 12, OVERFLOW };
/* Where the members of the classes begin. */
#define LOCKED_FILE 104u /* of a buffer of a file, behind a mutex */
#define STDIO_FILE 64u
#define FROM_HERE 1
#define FOR_INPUT 8

const struct cxx_buffer *buffer_of(const void *stream) {
    const intptr_t *table = *(const intptr_t *const *)stream;
    const char *base = (const char *)stream + table[VIRTUAL_BASE];
    return CXX_FUNCTION(const struct cxx_buffer *, _ZNKSt9basic_iosIcSt11char_traitsIcEE5rdbufEv,
                        (const void *))(base);
}

int stream_has_failed(const void *stream) {
    const intptr_t *table = *(const intptr_t *const *)stream;
    const char *base = (const char *)stream + table[VIRTUAL_BASE];
    return CXX_FUNCTION(_Bool, _ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv, (const void *))(base);
}

/* ---- kinds ---- */

#define IS(slot, name)                                                                             \
    (buffer->functions[slot] == (uintptr_t)CXX_FUNCTION(void, name, (void)) &&                     \
     buffer->functions[slot])

static int reads_as_streambuf(const struct cxx_buffer *buffer) {
    return IS(TAKE, _ZNSt15basic_streambufIcSt11char_traitsIcEE5uflowEv);
}

static int is_text(const struct cxx_buffer *buffer) {
    return IS(UNDERFLOW, _ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE9underflowEv) &&
           IS(READ_MANY, _ZNSt15basic_streambufIcSt11char_traitsIcEE6xsgetnEPcl) &&
           reads_as_streambuf(buffer);
}

static int writes_as_text(const struct cxx_buffer *buffer) {
    return IS(OVERFLOW, _ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE8overflowEi) &&
           IS(WRITE_MANY, _ZNSt15basic_streambufIcSt11char_traitsIcEE6xsputnEPKcl);
}

#define SEEK_FILE                                                                                  \
    _ZNSt13basic_filebufIcSt11char_traitsIcEE7seekoffElSt12_Ios_SeekdirSt13_Ios_Openmode
#define IS_EXPANDED(slot, name) IS(slot, name)

static int is_file(const struct cxx_buffer *buffer) {
    return IS(UNDERFLOW, _ZNSt13basic_filebufIcSt11char_traitsIcEE9underflowEv) &&
           IS(READ_MANY, _ZNSt13basic_filebufIcSt11char_traitsIcEE6xsgetnEPcl) &&
           IS_EXPANDED(SEEK, SEEK_FILE) && reads_as_streambuf(buffer);
}

static int is_stdio(const struct cxx_buffer *buffer) {
    return IS(UNDERFLOW, _ZN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEE9underflowEv) &&
           IS(READ_MANY, _ZN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEE6xsgetnEPcl) &&
           IS(TAKE, _ZN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEE5uflowEv);
}

enum buffer_kind buffer_kind(const struct cxx_buffer *buffer) {
    if (!buffer) return BUFFER_OTHER;
    if (is_text(buffer)) return BUFFER_TEXT;
    if (is_file(buffer)) return BUFFER_FILE;
    return is_stdio(buffer) ? BUFFER_STDIO : BUFFER_OTHER;
}

/* ---- files ---- */

static FILE *stdio_of(const struct cxx_buffer *buffer) {
    return *(FILE *const *)((uintptr_t)buffer + STDIO_FILE);
}

int buffer_file(const struct cxx_buffer *buffer, enum buffer_kind kind) {
    if (kind == BUFFER_STDIO) return file_of(stdio_of(buffer));
    if (kind != BUFFER_FILE) return -1;
    int error = errno;
    const char *file = (const char *)buffer + LOCKED_FILE;
    int number = CXX_FUNCTION(int, _ZNSt12__basic_fileIcE2fdEv, (const void *))(file);
    errno = error;
    return number;
}

/* std::streampos */
struct place {
    int64_t offset;
    uint64_t state;
};

int64_t buffer_place(const struct cxx_buffer *buffer, enum buffer_kind kind) {
    if (buffer_file(buffer, kind) < 0) return -1;
    int error = errno;
    int64_t place;
    outside_paused++; /* the program asks for no place */
    if (kind == BUFFER_STDIO)
        place = ftello64(stdio_of(buffer));
    else
        place = CXX_FUNCTION(struct place, SEEK_FILE,
                             (const void *, int64_t, int, int))(buffer, 0, FROM_HERE, FOR_INPUT)
                    .offset;
    outside_paused--;
    errno = error;
    return place;
}

/* ---- what is taken ---- */

struct taking taking_buffer(struct whence_origin_site *call, const struct cxx_buffer *buffer) {
    struct taking taking = {.call = call, .buffer = buffer, .place = -1};
    taking.is_followed = call || IS_HEARD(arrived);
    if (!taking.is_followed) return taking;
    taking.kind = buffer_kind(taking.buffer);
    if (taking.kind == BUFFER_OTHER) taking.call = NULL, taking.is_followed = 0;
    if (taking.kind == BUFFER_TEXT) {
        taking.begin = taking.buffer->get_begin;
        taking.at = taking.buffer->get;
    } else if (taking.call) {
        taking.place = buffer_place(taking.buffer, taking.kind);
    }
    return taking;
}

static struct taking begun(struct whence_origin_site *call, const void *stream) {
    return taking_buffer(call, call || IS_HEARD(arrived) ? buffer_of(stream) : NULL);
}

struct taking taking_begin(struct site site, const void *stream) {
    return begun(ORIGINS_ON ? written_call(site.function) : NULL, stream);
}

/* Bytes of a file from a place on; of one without places nobody knows which. */
static struct input_bytes bytes_at(const struct taking *taking, int64_t place, size_t size) {
    int file = buffer_file(taking->buffer, taking->kind);
    if (file < 0) return (struct input_bytes){.offset = WH_INPUT_NOWHERE, .size = size};
    if (place < 0) source_lose_count(file);
    return source_read(file, place < 0 ? WH_INPUT_NOWHERE : (uint64_t)place, size);
}

/* What of a text was taken; it may have become another one. */
static const char *text_end(const struct taking *taking) {
    const struct cxx_buffer *buffer = taking->buffer;
    int is_same = taking->at && buffer->get_begin == taking->begin && buffer->get >= taking->at;
    return is_same ? buffer->get : NULL;
}

/* Bytes of a stream are in memory; this file tells their origins itself. */
static void announce_apart(struct site site, const void *to, size_t size) {
    struct iovec part = {(void *)(uintptr_t)to, size};
    struct transfer transfer = {.function = site.function,
                                .frame = site.frame,
                                .parts = &part,
                                .count = 1,
                                .size = (int64_t)size,
                                .file = -1,
                                .offset = TRANSFER_HERE,
                                .is_apart = 1};
    announce_arrived(&transfer);
}

static void put_file(struct site site, const struct taking *taking, const char *to, size_t size,
                     int64_t place) {
    if (taking->call)
        given_arrived(site.function, printing_input(taking->call), bytes_at(taking, place, size),
                      (uintptr_t)to);
    announce_apart(site, to, size);
}

static void put_text_at(struct whence_origin_site *call, const char *to, const char *from,
                        size_t size) {
    if (memcmp(to, from, size)) return;
    if (call) printing_text(call, (uintptr_t)to, (uintptr_t)from, size);
    announce_copied((uintptr_t)to, (uintptr_t)from, size);
}

void taking_put_first(struct site site, const struct taking *taking, const char *to, size_t size) {
    if (!taking->is_followed || !size) return;
    const char *end = text_end(taking);
    if (taking->kind != BUFFER_TEXT)
        put_file(site, taking, to, size, taking->place);
    else if (end && (size_t)(end - taking->at) >= size)
        put_text_at(taking->call, to, taking->at, size);
}

void taking_put_last(struct site site, const struct taking *taking, const char *to, size_t size) {
    if (!taking->is_followed || !size) return;
    const char *end = text_end(taking);
    if (taking->kind != BUFFER_TEXT) {
        int64_t place = taking->place < 0 ? -1 : buffer_place(taking->buffer, taking->kind);
        put_file(site, taking, to, size, place < 0 ? -1 : place - (int64_t)size);
    } else if (end && (size_t)(end - taking->at) >= size) {
        put_text_at(taking->call, to, end - size, size);
    }
}

static uint32_t number_of_file(struct site site, const struct taking *taking) {
    int64_t end = taking->place < 0 ? -1 : buffer_place(taking->buffer, taking->kind);
    size_t size = end > taking->place ? (size_t)(end - taking->place) : 0;
    struct input_bytes bytes = bytes_at(taking, size ? taking->place : -1, size);
    return given_returned(site.function, printing_input(taking->call), bytes, NULL);
}

static uint32_t number_of_text(const struct taking *taking) {
    const char *end = text_end(taking);
    if (!end || end == taking->at) return 0;
    size_t size = (size_t)(end - taking->at);
    return cells_parsed(printing_made(taking->call), (uintptr_t)taking->at, size);
}

void taking_number(struct site site, const struct taking *taking, const void *to, size_t size) {
    if (!taking->is_followed) return;
    int is_text = taking->kind == BUFFER_TEXT;
    if (!is_text) announce_apart(site, to, size);
    if (!taking->call) return;
    uint32_t node = is_text ? number_of_text(taking) : number_of_file(site, taking);
    if (node) cells_set(taking->call, node, (uintptr_t)to, size);
}

/* ---- bytes that are returned ---- */

struct taking taking_byte(struct site site, const void *stream) {
    return begun(ORIGINS_ON ? given_calling(site.function) : NULL, stream);
}

void taking_returned(struct site site, const struct taking *taking, int byte) {
    if (byte != EOF && taking->is_followed && taking->kind != BUFFER_TEXT)
        announce_returned(site.function, site.frame, NULL, (uint8_t)byte);
    if (!taking->call || byte == EOF) return;
    uint32_t node = 0;
    unsigned char content = (unsigned char)byte;
    if (taking->kind != BUFFER_TEXT)
        node = given_returned(site.function, taking->call, bytes_at(taking, taking->place, 1),
                              &content);
    else if (taking->at)
        node = printing_byte(taking->call, (uintptr_t)taking->at, content);
    if (node) origins_return(node, (uint64_t)byte);
}

/* ---- what is put ---- */

struct putting putting_begin(struct site site, const void *stream) {
    struct putting putting = {.call = ORIGINS_ON ? written_call(site.function) : NULL};
    putting.is_followed = putting.call || IS_HEARD(copied);
    if (!putting.is_followed) return putting;
    putting.buffer = buffer_of(stream);
    if (buffer_kind(putting.buffer) != BUFFER_TEXT || !writes_as_text(putting.buffer))
        putting.call = NULL, putting.is_followed = 0;
    if (!putting.is_followed) return putting;
    putting.begin = putting.buffer->put_begin;
    putting.at = putting.buffer->put;
    return putting;
}

/* The bytes that are new; what was there before may lie elsewhere now. */
static size_t put_bytes(const struct putting *putting, const char **begin) {
    const struct cxx_buffer *buffer = putting->buffer;
    size_t before = (size_t)(putting->at - putting->begin);
    const char *now = buffer->put_begin;
    if (!now || (size_t)(buffer->put - now) <= before) return 0;
    if (now != putting->begin && before) {
        if (putting->call)
            __whence_origin_copy(printing_copy(putting->call), (uintptr_t)now,
                                 (uintptr_t)putting->begin, before);
        announce_copied((uintptr_t)now, (uintptr_t)putting->begin, before);
    }
    *begin = now + before;
    size_t size = (size_t)(buffer->put - now) - before;
    if (putting->call) cells_written(putting->call, (uintptr_t)*begin, size);
    announce_filled((uintptr_t)*begin, size);
    return size;
}

/* There may be blanks before it or behind it. */
void putting_text(const struct putting *putting, const char *from, size_t size) {
    const char *to;
    size_t put = putting->is_followed ? put_bytes(putting, &to) : 0;
    if (!size || put < size) return;
    if (memcmp(to, from, size)) to += put - size;
    put_text_at(putting->call, to, from, size);
}

void putting_argument(const struct putting *putting, unsigned index, uint64_t value, int is_byte) {
    const char *to;
    size_t put = putting->is_followed ? put_bytes(putting, &to) : 0;
    if (put && putting->call)
        printing_argument(putting->call, (uintptr_t)to, put, index, value, is_byte);
}

void putting_taken(struct site site, const struct putting *putting, const struct taking *taking) {
    const char *to;
    size_t put = putting->is_followed ? put_bytes(putting, &to) : 0;
    if (put) taking_put_first(site, taking, to, put);
}
