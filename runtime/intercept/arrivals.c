#include "arrivals.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"

/* ---- descriptors ---- */

void came_in_parts(struct site site, int file, uint64_t offset, const struct iovec *parts,
                   size_t count, size_t size) {
    struct transfer transfer = {.function = site.function,
                                .frame = site.frame,
                                .parts = parts,
                                .count = count,
                                .size = (int64_t)size,
                                .file = file,
                                .offset = offset};
    announce_arrived(&transfer);
}

void came_from(struct site site, int file, uint64_t offset, const void *to, size_t size) {
    struct iovec part = {(void *)(uintptr_t)to, size};
    came_in_parts(site, file, offset, &part, 1, size);
}

void left_in_parts(struct site site, int file, uint64_t offset, const struct iovec *parts,
                   size_t count, int64_t size) {
    struct transfer transfer = {.function = site.function,
                                .frame = site.frame,
                                .parts = parts,
                                .count = count,
                                .size = size,
                                .file = file,
                                .offset = offset};
    announce_left(&transfer);
}

void left_to(struct site site, int file, uint64_t offset, const void *from, int64_t size) {
    struct iovec part = {(void *)(uintptr_t)from, size > 0 ? (size_t)size : 0};
    left_in_parts(site, file, offset, &part, 1, size);
}

/* ---- streams ---- */

void came_from_stream(struct site site, struct intake *intake, const void *to, size_t size,
                      int all) {
    struct iovec part = {(void *)(uintptr_t)to, size};
    struct transfer transfer = {.function = site.function,
                                .frame = site.frame,
                                .parts = &part,
                                .count = 1,
                                .size = (int64_t)size,
                                .stream = intake->stream,
                                .intake = intake,
                                .all = all != 0};
    announce_arrived(&transfer);
}

/* What goes to a stream: parts, of which the last `made` are in no memory of the program. */
static struct transfer to_stream(struct site site, FILE *stream, const struct iovec *parts,
                                 uint8_t made) {
    return (struct transfer){.function = site.function,
                             .frame = site.frame,
                             .parts = parts,
                             .count = 1,
                             .size = (int64_t)parts->iov_len,
                             .stream = stream,
                             .offset = HERE,
                             .made = made};
}

void left_to_stream(struct site site, FILE *stream, const void *from, int64_t size) {
    struct iovec part = {(void *)(uintptr_t)from, size > 0 ? (size_t)size : 0};
    struct transfer transfer = to_stream(site, stream, &part, 0);
    transfer.size = size;
    announce_left(&transfer);
}

void left_as_string(struct site site, FILE *stream, const char *text, int is_line, int result) {
    char line[] = "\n";
    struct iovec parts[] = {{(void *)(uintptr_t)text, result < 0 ? 0 : wh_length(text)}, {line, 1}};
    struct transfer transfer = to_stream(site, stream, parts, is_line != 0);
    if (is_line) transfer.count++, transfer.size++;
    if (result < 0) transfer.size = -1;
    announce_left(&transfer);
}

void left_as_byte(struct site site, FILE *stream, int byte) {
    char content = (char)byte;
    struct iovec part = {&content, 1};
    struct transfer transfer = to_stream(site, stream, &part, 1);
    transfer.is_argument = 1;
    if (byte == EOF) transfer.size = -1;
    announce_left(&transfer);
}

void left_as_text(struct site site, FILE *stream, int file, const char *format, va_list arguments,
                  int length) {
    size_t room = wh_round_up((uint64_t)length + 1, OS_PAGE);
    char *text = length > 0 ? (char *)os_map(room) : NULL;
    struct iovec part = {text, text ? (size_t)length : 0};
    struct transfer transfer = to_stream(site, stream, &part, 1);
    int error = errno;
    transfer.file = file;
    if (!text || vsnprintf(text, room, format, arguments) != length) transfer.size = -1;
    announce_left(&transfer);
    errno = error;
    if (text) os_unmap((uintptr_t)text, room);
}
