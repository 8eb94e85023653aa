#include "transfers.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../process/outside.h"
#include "../process/stream.h"
#include "cells.h"
#include "given.h"
#include "passing.h"
#include "printing.h"
#include "sent.h"

/* ---- what is known of a call that takes something, from before it on ---- */

struct known {
    struct whence_origin_site *call;
    int64_t place;            /* of the stream, before; -1: it has none */
    struct input_bytes bytes; /* all that was taken of a stream */
    uint32_t node;            /* the same */
};
_Static_assert(sizeof(struct known) <= sizeof((struct intake *)0)->kept, "it has no room");

static struct known *known_of(struct intake *intake) { return (struct known *)intake->kept; }

/* Where a stream stands; -1: it has no places. */
static int64_t place_of(FILE *stream) {
    int error = errno;
    outside_paused++; /* the program asks for no place */
    int64_t place = file_of(stream) < 0 ? -1 : ftello64(stream);
    outside_paused--;
    errno = error;
    return place;
}

void transfer_takes(const char *function, struct intake *intake) {
    struct known *known = known_of(intake);
    const char *text = intake->text;
    *known = (struct known){.call = text ? given_parsing(function) : given_calling(function)};
    if (intake->stream) known->place = place_of(intake->stream);
    if (!text || !known->call) return;
    size_t length = wh_length(text);
    if (length) known->node = cells_parsed(known->call, (uintptr_t)text, length);
    if (!known->node) known->node = node_make(known->call, node_own(), 0);
}

/* The bytes that were taken. Of a stream without places, bytes are counted. */
static struct input_bytes bytes_taken(struct intake *intake, size_t size) {
    int file = file_of(intake->stream);
    int64_t place = known_of(intake)->place;
    if (file < 0) return (struct input_bytes){.offset = WH_INPUT_NOWHERE, .size = size};
    return source_read(file, place < 0 ? WH_INPUT_NOWHERE : (uint64_t)place, size);
}

/* ---- what arrives ---- */

static void arrived_from_stream(const struct transfer *transfer) {
    struct intake *intake = transfer->intake;
    size_t size = (size_t)transfer->size;
    if (!intake->stream) return;
    if (size)
        given_arrived(transfer->function, known_of(intake)->call, bytes_taken(intake, size),
                      (uintptr_t)transfer->parts->iov_base);
    if (!transfer->all) source_lose_count(file_of(intake->stream));
}

void transfer_arrived(const struct transfer *transfer) {
    if (transfer->is_apart) return;
    if (transfer->intake) {
        arrived_from_stream(transfer);
        return;
    }
    struct whence_origin_site *call = given_calling(transfer->function);
    size_t size = (size_t)transfer->size;
    if (!size) return;
    struct input_bytes bytes = source_read(transfer->file, transfer->offset, size);
    for (size_t i = 0; size && i < transfer->count; i++) {
        bytes.size = part_next(&transfer->parts[i], &size);
        given_arrived(transfer->function, call, bytes, (uintptr_t)transfer->parts[i].iov_base);
        if (bytes.offset != WH_INPUT_NOWHERE) bytes.offset += bytes.size;
    }
}

void transfer_shown(const char *function, int file, uint64_t offset, uintptr_t at, uint64_t size) {
    given_mapped(function, given_calling(function), file, offset, at, size);
}

void transfer_returned(const char *function, const struct frame *frame, struct intake *intake,
                       uint8_t byte) {
    (void)frame;
    if (!intake || !intake->stream) return;
    struct whence_origin_site *call = known_of(intake)->call;
    uint32_t node = given_returned(function, call, bytes_taken(intake, 1), &byte);
    if (call) origins_return(node, byte);
}

/* Of a stream without places it is only known how many bytes there are if all were counted. */
void transfer_taken(const char *function, struct intake *intake, int all) {
    if (!intake->stream) return;
    struct known *known = known_of(intake);
    int64_t end = place_of(intake->stream);
    size_t size = end > known->place ? (size_t)(end - known->place) : 0;
    if (end < 0 && all >= 0) size = (size_t)all;
    known->bytes = bytes_taken(intake, size);
    if (end < 0 && all < 0) source_lose_count(file_of(intake->stream));
    struct input_bytes whole = known->bytes;
    if (end < 0 && all < 0) whole.offset = WH_INPUT_NOWHERE;
    known->node = given_returned(function, known->call, whole, NULL);
}

static void stored_of_stream(const char *function, const struct known *known,
                             const struct taken_part *part) {
    uintptr_t to = (uintptr_t)part->to;
    struct input_bytes bytes = known->bytes;
    bytes.size = (uint64_t)(part->end - part->begin);
    bytes.is_part = bytes.channel != 0;
    if (bytes.offset != WH_INPUT_NOWHERE) bytes.offset += (uint64_t)part->begin;
    uint32_t node = given_returned(function, known->call, bytes, NULL);
    if (node) cells_set(known->call, node, to, part->size);
    if (part->is_text && bytes.size <= part->size) given_arrived(function, known->call, bytes, to);
}

static void stored_of_text(const char *text, const struct known *known,
                           const struct taken_part *part) {
    uintptr_t to = (uintptr_t)part->to, from = (uintptr_t)text + (size_t)part->begin;
    size_t length = (size_t)(part->end - part->begin);
    uint32_t node = length ? cells_parsed(known->call, from, length) : 0;
    cells_set(known->call, node ? node : known->node, to, part->size);
    if (part->is_text && length <= part->size) printing_copies(known->call, to, from, length);
}

void transfer_stored(const char *function, const struct frame *frame, struct intake *intake,
                     const struct taken_part *part) {
    (void)frame;
    const struct known *known = known_of(intake);
    if (!known->call || !known->node) return;
    if (part->begin < 0 || part->end < part->begin)
        cells_set(known->call, known->node, (uintptr_t)part->to, part->size);
    else if (intake->stream)
        stored_of_stream(function, known, part);
    else
        stored_of_text(intake->text, known, part);
}

void transfer_undone(FILE *stream) { source_count(file_of(stream), -1); }

/* ---- results ---- */

void transfer_lent(const char *function, const struct frame *frame, const char *text) {
    (void)frame;
    struct whence_origin_site *call = given_calling(function);
    uint32_t node = call ? given_pointer(call, (uintptr_t)text) : 0;
    if (node) origins_return(node, (uintptr_t)text);
}

void transfer_parsed(const char *function, const char *text, uint64_t size, uint64_t result) {
    struct whence_origin_site *call = given_parsing(function);
    size_t length = 0;
    while (length < size && text[length]) length++;
    uint32_t node = call && length ? cells_parsed(call, (uintptr_t)text, length) : 0;
    if (node) origins_return(node, result);
}

/* ---- what leaves ---- */

/* Where the last bytes that were given to a stream are in its file. */
static uint64_t offset_of_last(FILE *stream, uint64_t size) {
    int64_t end = place_of(stream);
    return end < 0 || (uint64_t)end < size ? WH_INPUT_NOWHERE : (uint64_t)end - size;
}

/* Where the first of the bytes are in their file. */
static uint64_t offset_of(const struct transfer *transfer) {
    if (transfer->stream) return offset_of_last(transfer->stream, (uint64_t)transfer->size);
    if (transfer->offset != TRANSFER_HERE) return transfer->offset;
    int64_t end = transfer->count > 1 ? os_place(transfer->file) : -1;
    return end >= transfer->size ? (uint64_t)(end - transfer->size) : WH_INPUT_NOWHERE;
}

void transfer_left(const struct transfer *transfer) {
    uint32_t node = 0;
    if (transfer->is_argument)
        node = origins_passed(0, *(const unsigned char *)transfer->parts->iov_base);
    struct whence_origin_site *call = given_calling(transfer->function);
    if (transfer->size <= 0) return;
    size_t left = (size_t)transfer->size, first_made = transfer->count - transfer->made;
    int file = transfer->stream ? file_of(transfer->stream) : transfer->file;
    uint64_t offset = offset_of(transfer);
    for (size_t i = 0; left && i < transfer->count; i++) {
        const void *from = transfer->parts[i].iov_base;
        size_t part = part_next(&transfer->parts[i], &left);
        if (i < first_made)
            sent_to(call, file, offset, from, part);
        else
            sent_made(call, file, offset, from, part, call ? node : 0);
        if (offset != WH_INPUT_NOWHERE) offset += part;
    }
}
