#include "arrivals.h"
#include "check.h"
#include "scatter.h"
#include "../origins/cells.h"
#include "../origins/given.h"
#include "../origins/passing.h"
#include "../origins/printing.h"
#include "../origins/sent.h"
#include "../process/outside.h"

void arrived_from_file(struct site site, int file, uint64_t offset, const void *to, size_t size) {
    struct whence_origin_site *call = given_calling(site.function);
    if (size) given_arrived(site.function, call, source_read(file, offset, size), (uintptr_t)to);
}

void arrived_in_parts(struct site site, int file, uint64_t offset, const struct iovec *parts,
                      size_t count, size_t size) {
    struct whence_origin_site *call = given_calling(site.function);
    if (!size) return;
    struct input_bytes bytes = source_read(file, offset, size);
    for (size_t i = 0; size && i < count; i++) {
        bytes.size = scatter_next(&parts[i], &size);
        given_arrived(site.function, call, bytes, (uintptr_t)parts[i].iov_base);
        if (bytes.offset != WH_INPUT_NOWHERE) bytes.offset += bytes.size;
    }
}

void arrived_as_mapping(struct site site, int file, uint64_t offset, const void *at, size_t size) {
    struct whence_origin_site *call = given_calling(site.function);
    given_mapped(site.function, call, file, offset, (uintptr_t)at, size);
}

/* ---- streams ---- */

/* Where a stream stands; -1: it has no places. */
static int64_t place_of(FILE *stream) {
    int error = errno;
    outside_paused++; /* the program asks for no place */
    int64_t place = file_of(stream) < 0 ? -1 : ftello64(stream);
    outside_paused--;
    errno = error;
    return place;
}

struct arrival arrival_began(struct site site, FILE *stream, const char *text) {
    struct whence_origin_site *call =
        text ? given_parsing(site.function) : given_calling(site.function);
    struct arrival arrival = {.call = call, .stream = stream, .text = text};
    if (stream) arrival.place = place_of(stream);
    if (!text || !arrival.call) return arrival;
    size_t length = wh_length(text);
    if (length) arrival.node = cells_parsed(arrival.call, (uintptr_t)text, length);
    if (!arrival.node) arrival.node = node_make(arrival.call, node_own(), 0);
    return arrival;
}

/* The bytes that were taken. Of a stream without places, bytes are counted. */
static struct input_bytes bytes_taken(const struct arrival *arrival, size_t size) {
    int file = file_of(arrival->stream);
    if (file < 0) return (struct input_bytes){.offset = WH_INPUT_NOWHERE, .size = size};
    return source_read(file, arrival->place < 0 ? WH_INPUT_NOWHERE : (uint64_t)arrival->place,
                       size);
}

void arrival_put(struct site site, struct arrival *arrival, const void *to, size_t size, int all) {
    if (!arrival->stream) return;
    if (size)
        given_arrived(site.function, arrival->call, bytes_taken(arrival, size), (uintptr_t)to);
    if (!all) source_lose_count(file_of(arrival->stream));
}

void arrival_returned(struct site site, struct arrival *arrival, int byte) {
    if (!arrival->stream || byte == EOF) return;
    struct input_bytes bytes = bytes_taken(arrival, 1);
    unsigned char content = (unsigned char)byte;
    uint32_t node = given_returned(site.function, arrival->call, bytes, &content);
    if (arrival->call) origins_return(node, (uint64_t)byte);
}

/* Of a stream without places it is only known how many bytes there are if all were counted. */
void arrival_taken(struct site site, struct arrival *arrival, int all) {
    if (!arrival->stream) return;
    int64_t end = place_of(arrival->stream);
    size_t size = end > arrival->place ? (size_t)(end - arrival->place) : 0;
    if (end < 0 && all >= 0) size = (size_t)all;
    arrival->bytes = bytes_taken(arrival, size);
    if (end < 0 && all < 0) source_lose_count(file_of(arrival->stream));
    struct input_bytes whole = arrival->bytes;
    if (end < 0 && all < 0) whole.offset = WH_INPUT_NOWHERE;
    arrival->node = given_returned(site.function, arrival->call, whole, NULL);
}

static void stored_of_stream(struct site site, const struct arrival *arrival, uintptr_t to,
                             size_t size, struct part part, int is_text) {
    struct input_bytes bytes = arrival->bytes;
    bytes.size = (uint64_t)(part.end - part.begin);
    bytes.is_part = bytes.channel != 0;
    if (bytes.offset != WH_INPUT_NOWHERE) bytes.offset += (uint64_t)part.begin;
    uint32_t node = given_returned(site.function, arrival->call, bytes, NULL);
    if (node) cells_set(arrival->call, node, to, size);
    if (is_text && bytes.size <= size) given_arrived(site.function, arrival->call, bytes, to);
}

static void stored_of_text(const struct arrival *arrival, uintptr_t to, size_t size,
                           struct part part, int is_text) {
    uintptr_t from = (uintptr_t)arrival->text + (size_t)part.begin;
    size_t length = (size_t)(part.end - part.begin);
    uint32_t node = length ? cells_parsed(arrival->call, from, length) : 0;
    cells_set(arrival->call, node ? node : arrival->node, to, size);
    if (is_text && length <= size) printing_copies(arrival->call, to, from, length);
}

void arrival_stored(struct site site, const struct arrival *arrival, const void *to, size_t size,
                    struct part part, int is_text) {
    if (!arrival->text) announce_arrived(site.function, site.frame, (uintptr_t)to, size);
    if (!arrival->call || !arrival->node) return;
    if (part.begin < 0 || part.end < part.begin)
        cells_set(arrival->call, arrival->node, (uintptr_t)to, size);
    else if (arrival->stream)
        stored_of_stream(site, arrival, (uintptr_t)to, size, part, is_text);
    else
        stored_of_text(arrival, (uintptr_t)to, size, part, is_text);
}

void arrival_undone(FILE *stream) { source_count(file_of(stream), -1); }

/* ---- results ---- */

void arrived_as_pointer(struct site site, const void *pointer) {
    struct whence_origin_site *call = given_calling(site.function);
    uint32_t node = call ? given_pointer(call, (uintptr_t)pointer) : 0;
    if (node) origins_return(node, (uintptr_t)pointer);
}

void parsed_as_result(struct site site, const char *text, size_t size, uint64_t result) {
    struct whence_origin_site *call = given_parsing(site.function);
    size_t length = 0;
    while (length < size && text[length]) length++;
    uint32_t node = call && length ? cells_parsed(call, (uintptr_t)text, length) : 0;
    if (node) origins_return(node, result);
}

/* ---- what is written otherwise ---- */

void announce_written(struct site site, const void *to, size_t size) {
    if (is_there(to, size)) written_soon(site.function, site.frame, (uintptr_t)to, size);
}

/* ---- what the program sends ---- */

void left_to_file(struct site site, int file, uint64_t offset, const void *from, int64_t size) {
    struct whence_origin_site *call = given_calling(site.function);
    if (size > 0) sent_to(call, file, offset, from, (uint64_t)size);
}

void left_in_parts(struct site site, int file, uint64_t offset, const struct iovec *parts,
                   size_t count, int64_t size) {
    struct whence_origin_site *call = given_calling(site.function);
    if (size <= 0) return;
    size_t left = (size_t)size;
    int64_t end = offset == WH_INPUT_NOWHERE ? os_place(file) : -1;
    if (end >= size) offset = (uint64_t)(end - size);
    for (size_t i = 0; left && i < count; i++) {
        size_t part = scatter_next(&parts[i], &left);
        sent_to(call, file, offset, parts[i].iov_base, part);
        if (offset != WH_INPUT_NOWHERE) offset += part;
    }
}

/* Where the last bytes that were given to a stream are in its file. */
static uint64_t offset_of_last(FILE *stream, uint64_t size) {
    int64_t end = place_of(stream);
    return end < 0 || (uint64_t)end < size ? WH_INPUT_NOWHERE : (uint64_t)end - size;
}

void left_to_stream(struct site site, FILE *stream, const void *from, int64_t size) {
    struct whence_origin_site *call = given_calling(site.function);
    if (size > 0)
        sent_to(call, file_of(stream), offset_of_last(stream, (uint64_t)size), from,
                (uint64_t)size);
}

void left_as_string(struct site site, FILE *stream, const char *text, int is_line, int result) {
    struct whence_origin_site *call = given_calling(site.function);
    if (result < 0) return;
    int file = file_of(stream);
    size_t length = wh_length(text);
    uint64_t offset = offset_of_last(stream, length + (is_line != 0));
    sent_to(call, file, offset, text, length);
    if (offset != WH_INPUT_NOWHERE) offset += length;
    if (is_line) sent_made(call, file, offset, "\n", 1, 0);
}

void left_as_byte(struct site site, FILE *stream, int byte) {
    uint32_t node = origins_passed(0, (uint64_t)byte);
    struct whence_origin_site *call = given_calling(site.function);
    char content = (char)byte;
    if (byte != EOF)
        sent_made(call, file_of(stream), offset_of_last(stream, 1), &content, 1, call ? node : 0);
}

void left_as_text(struct site site, FILE *stream, int file, const char *format, va_list arguments,
                  int length) {
    struct whence_origin_site *call = given_calling(site.function);
    size_t room = wh_round_up((uint64_t)length + 1, OS_PAGE);
    char *text = length > 0 ? (char *)os_map(room) : NULL;
    if (!text) return;
    int error = errno;
    uint64_t offset = stream ? offset_of_last(stream, (uint64_t)length) : WH_INPUT_NOWHERE;
    if (vsnprintf(text, room, format, arguments) == length)
        sent_made(call, stream ? file_of(stream) : file, offset, text, (uint64_t)length, 0);
    errno = error;
    os_unmap((uintptr_t)text, room);
}
