#include "maps.h"
#include "images.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../record/record.h"

/* The file of a process whose first thread has ended is empty. */
static long read_maps(char *buffer) {
    long size = os_read_file("/proc/self/maps", buffer, MAPS_ROOM);
    return size > 0 ? size : os_read_file("/proc/thread-self/maps", buffer, MAPS_ROOM);
}

uintptr_t maps_read(size_t *size) {
    uintptr_t buffer = os_map(MAPS_ROOM);
    if (!buffer) return 0;
    long n = read_maps((char *)buffer);
    if (n > 0) {
        *size = (size_t)n;
        return buffer;
    }
    os_unmap(buffer, MAPS_ROOM);
    return 0;
}

static void skip(const char *text, size_t end, size_t *at, int spaces) {
    while (*at < end && (text[*at] == ' ') == spaces) ++*at;
}

/* begin-end rwxp offset device inode   path */
int maps_parse(const char *text, size_t size, size_t *at, struct mapping *mapping) {
    size_t begin = *at, end = begin, place = begin;
    while (end < size && text[end] != '\n') end++;
    if (!text_read_hex(text, end, &place, &mapping->begin) || place >= end || text[place++] != '-')
        return 0;
    if (!text_read_hex(text, end, &place, &mapping->end) || place + 5 > end || text[place++] != ' ')
        return 0;
    wh_copy(mapping->protection, text + place, 4);
    for (int field = 0; field < 4; field++) {
        skip(text, end, &place, 0);
        skip(text, end, &place, 1);
    }
    mapping->line = text + begin;
    mapping->line_length = end - begin;
    mapping->path = text + place;
    mapping->path_length = end - place;
    *at = end < size ? end + 1 : end;
    return 1;
}

/* Keeps the lines that name something, at the front of the buffer; hashes the files, and the code
 * in them. */
static size_t keep_named(char *text, size_t size, uint32_t *hash, uint64_t *code) {
    size_t at = 0, kept = 0;
    struct mapping mapping;
    *hash = 2166136261u;
    *code = 0;
    while (at < size && maps_parse(text, size, &at, &mapping)) {
        if (!mapping.path_length) continue;
        for (size_t i = 0; mapping.path[0] == '/' && i < mapping.line_length; i++)
            *hash = (*hash ^ (uint8_t)mapping.line[i]) * 16777619u;
        if (mapping.path[0] == '/' && mapping.protection[2] == 'x')
            *code =
                wh_digest(*code ? *code : WH_DIGEST_OF_NOTHING, mapping.line, mapping.line_length);
        for (size_t i = 0; i < mapping.line_length; i++) text[kept + i] = mapping.line[i];
        kept += mapping.line_length;
        text[kept++] = '\n';
    }
    if (!*hash) *hash = 1;
    return kept;
}

#define LIST_ROOM (1ull << 20)

/* For a program that may map no more. */
static char last_room[64 << 10];
static int last_room_taken;

/* Without /proc (as after chroot) or descriptors the loader lists what is loaded. */
static uintptr_t text_of_maps(size_t *size, uint64_t *room) {
    *room = MAPS_ROOM;
    uintptr_t buffer = maps_read(size);
    if (buffer) return buffer;
    *room = LIST_ROOM;
    buffer = os_map(LIST_ROOM);
    if (!buffer && !__atomic_exchange_n(&last_room_taken, 1, __ATOMIC_ACQUIRE)) {
        *room = sizeof last_room;
        buffer = (uintptr_t)last_room;
    }
    if (buffer) *size = images_list((char *)buffer, *room);
    return buffer;
}

static void let_go(uintptr_t buffer, uint64_t room) {
    if (buffer == (uintptr_t)last_room)
        __atomic_store_n(&last_room_taken, 0, __ATOMIC_RELEASE);
    else
        os_unmap(buffer, room);
}

static uint32_t current;
static uint64_t code_current;
static int keepers; /* between maps_keep and maps_let_go */

void maps_keep(void) {
    maps_current();
    __atomic_add_fetch(&keepers, 1, __ATOMIC_RELAXED);
}

uint64_t maps_code(void) { return code_current; }

void maps_let_go(void) { __atomic_sub_fetch(&keepers, 1, __ATOMIC_RELAXED); }

uint32_t maps_current(void) {
    if (__atomic_load_n(&keepers, __ATOMIC_RELAXED) && current) return current;
    size_t size;
    uint64_t room;
    uintptr_t buffer = text_of_maps(&size, &room);
    if (!buffer) return current;
    uint32_t hash;
    uint64_t code, offset;
    size_t kept = keep_named((char *)buffer, size, &hash, &code);
    code_current = code;
    if (hash != current) {
        uint32_t head[2] = {hash, (uint32_t)kept};
        const struct record_part parts[] = {{head, sizeof head}, {(const void *)buffer, kept}};
        enum record_status status = record_once(WH_RECORD_MAPS, parts, 2, &offset);
        if (status == RECORD_OK || status == RECORD_KNOWN) current = hash;
    }
    let_go(buffer, room);
    return current;
}

#define COMMAND_ROOM 1024u

void maps_tell_process(void) {
    static uint32_t recorded;
    uint32_t process = os_process();
    if (recorded == process) return;
    recorded = process;
    char command[COMMAND_ROOM];
    long n = os_read_file("/proc/self/cmdline", command, sizeof command);
    uint32_t head[4] = {process, os_parent(), n > 0 ? (uint32_t)n : 0, 0};
    const struct record_part parts[] = {{head, sizeof head}, {command, head[2]}};
    record_append(WH_RECORD_PROCESS, parts, 2);
}
