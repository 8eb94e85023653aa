#include "sent.h"
#include "../os/mem.h"
#include "../record/record.h"
#include "cells.h"
#include "chains.h"

/* Of one call, bytes beyond these are not written down. */
#define MOST_AT_ONCE (1u << 20)
#define UNIT (1u << WH_ORIGIN_UNIT_SHIFT)

/* ---- the file ---- */

static uint64_t used;
static uint32_t owner; /* whose chains are there */
static uint64_t known[WH_ORIGIN_NODES_MOST / 64];

/* Appends a frame; 0: the file is full. */
static int append(const void *frame, size_t size) {
    if (__atomic_add_fetch(&used, size, __ATOMIC_RELAXED) > WH_SENT_MOST_BYTES) return 0;
    TEXT(path, 600);
    text_put(&path, record_path());
    text_put(&path, WH_SENT_SUFFIX);
    text_decimal(&path, os_process());
    text_put_n(&path, "", 1);
    int file = os_open(path.begin, OS_OPEN_APPEND);
    if (file < 0) return 0;
    long written = os_write(file, frame, size);
    os_close(file);
    return written == (long)size;
}

static void tell_full(void) {
    static int told;
    struct whence_sent_frame frame = {.kind = WH_SENT_FULL, .size = sizeof frame};
    if (__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED)) return;
    used = 0; /* the last frame has room */
    append(&frame, sizeof frame);
    used = WH_SENT_MOST_BYTES;
}

#define PROGRAM_MOST 256

static void append_program(void) {
    struct {
        struct whence_sent_frame frame;
        char name[PROGRAM_MOST];
    } program = {.frame = {.kind = WH_SENT_PROGRAM, .size = sizeof program}};
    long length = os_read_file("/proc/self/cmdline", program.name, PROGRAM_MOST - 1);
    program.frame.length = length > 0 ? (uint32_t)wh_length(program.name) : 0;
    append(&program, sizeof program);
}

/* A child has its parent's memory, and a file of its own. */
static void begin(void) {
    uint32_t process = os_process();
    if (__atomic_exchange_n(&owner, process, __ATOMIC_ACQ_REL) == process) return;
    wh_fill(known, 0, sizeof known);
    used = 0;
    append_program();
}

/* The chain of a node is in the file from now on. */
static void keep_chain(uint32_t node) {
    uint32_t index = node % WH_ORIGIN_NODES_MOST;
    uint64_t bit = 1ull << index % 64;
    if (__atomic_fetch_or(&known[index / 64], bit, __ATOMIC_RELAXED) & bit) return;
    uintptr_t room = os_map(CHAINS_ROOM + OS_PAGE);
    if (!room) return;
    struct whence_sent_frame *frame = (struct whence_sent_frame *)room;
    struct text text = {(char *)(frame + 1), CHAINS_ROOM, 0};
    chains_of_node(node, &text);
    size_t size = sizeof *frame + wh_round_up(text.length, 8);
    *frame = (struct whence_sent_frame){.kind = WH_SENT_CHAIN,
                                        .size = (uint32_t)size,
                                        .node = node,
                                        .length = (uint32_t)text.length};
    append(frame, size);
    os_unmap(room, CHAINS_ROOM + OS_PAGE);
}

/* ---- what is sent ---- */

/* Up to four bytes with one node, from an address on; *count: how many they are. */
static uint32_t next_node(uintptr_t at, uint64_t size, unsigned *count) {
    unsigned most = UNIT - at % UNIT;
    *count = size < most ? (unsigned)size : most;
    uint32_t node = cells_now(at, *count);
    if (node || *count == 1) return node;
    *count = 1;
    return cells_now(at, 1);
}

/* The node of the hop that sends a part. */
static uint32_t node_sent(struct whence_origin_site *call, uint32_t node, uintptr_t at,
                          uint64_t size) {
    if (node && node_is_input(node)) node = given_part(node, at, size);
    if (!call) return node;
    return node ? node_step(call, node) : node_make(call, node_own(), 0);
}

static void add_part(struct whence_sent *sent, struct whence_sent_part *parts, uint64_t begin,
                     uint64_t size, uint32_t node) {
    if (!node) return;
    keep_chain(node);
    parts[sent->parts++] =
        (struct whence_sent_part){.begin = (uint32_t)begin, .size = (uint32_t)size, .node = node};
}

static void divide(struct whence_origin_site *call, struct whence_sent *sent,
                   struct whence_sent_part *parts, uintptr_t from, uint64_t size) {
    for (uint64_t begin = 0, end; begin < size; begin = end) {
        unsigned count;
        uint32_t node = next_node(from + begin, size - begin, &count);
        for (end = begin + count; end < size; end += count)
            if (next_node(from + end, size - end, &count) != node) break;
        add_part(sent, parts, begin, end - begin, node_sent(call, node, from + begin, end - begin));
    }
}

/* made: the bytes are in no memory of the program, and have this node, if it is not 0. */
static void send(struct whence_origin_site *call, int file, uint64_t offset, const void *from,
                 uint64_t size, const uint32_t *made) {
    struct source_place place;
    if (!size || !source_sent(file, offset, size, &place)) return;
    begin();
    uint64_t kept = size < MOST_AT_ONCE ? size : MOST_AT_ONCE;
    size_t most = wh_round_up(sizeof(struct whence_sent_frame) + sizeof(struct whence_sent) + kept +
                                  8 + kept * sizeof(struct whence_sent_part),
                              OS_PAGE);
    uintptr_t room = used < WH_SENT_MOST_BYTES && *record_path() ? os_map(most) : 0;
    if (!room) {
        if (*record_path()) tell_full();
        return;
    }
    struct whence_sent_frame *frame = (struct whence_sent_frame *)room;
    struct whence_sent *sent = (struct whence_sent *)(frame + 1);
    char *bytes = (char *)(sent + 1);
    struct whence_sent_part *parts = (struct whence_sent_part *)(bytes + wh_round_up(kept, 8));
    *sent =
        (struct whence_sent){.device = place.device, .inode = place.number, .offset = place.offset};
    wh_copy(bytes, from, kept);
    if (made)
        add_part(sent, parts, 0, kept, node_sent(call, *made, 0, 0));
    else
        divide(call, sent, parts, (uintptr_t)from, kept);
    uint64_t end = (uintptr_t)(parts + sent->parts) - room;
    *frame = (struct whence_sent_frame){
        .kind = WH_SENT_BYTES, .size = (uint32_t)end, .length = (uint32_t)kept};
    if (!append(frame, end)) tell_full();
    os_unmap(room, most);
}

void sent_to(struct whence_origin_site *call, int file, uint64_t offset, const void *from,
             uint64_t size) {
    send(call, file, offset, from, size, NULL);
}

void sent_made(struct whence_origin_site *call, int file, uint64_t offset, const void *bytes,
               uint64_t size, uint32_t node) {
    send(call, file, offset, bytes, size, &node);
}
