#include "record.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"

#include <errno.h>

static struct wh_record_header *header;
static uint64_t capacity;
static int first;
static char name[512];
static uint32_t owner; /* the process that mapped it; a child has the mapping, too */

/* A part of the header page that carries nothing, to test the page with. */
#define PROBE_OFFSET (WH_RECORD_HEADER_SIZE - 8)

static int alive(void) { return header && os_writable((uintptr_t)header + PROBE_OFFSET); }

static int take_over(void) {
    uint64_t nothing = 0;
    if (__atomic_compare_exchange_n(&header->magic, &nothing, WH_RECORD_MAGIC, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        header->version = WH_RECORD_VERSION;
    if (header->magic != WH_RECORD_MAGIC) return 0;
    if (header->version != WH_RECORD_VERSION) return 0;
    uint64_t unused = 0;
    __atomic_compare_exchange_n(&header->used, &unused, WH_RECORD_HEADER_SIZE, 0, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
    uint32_t fresh = WH_FILE_FRESH;
    if (__atomic_compare_exchange_n(&header->state, &fresh, WH_FILE_RUNNING, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        header->capacity = capacity;
        header->pid = os_process();
        first = 1;
    }
    return 1;
}

enum record_status record_init(const char *path) {
    if (!path || !*path) return RECORD_NONE;
    int file = os_open(path, OS_OPEN_READ_WRITE);
    if (file < 0) return RECORD_UNOPENABLE;
    long size = os_file_size(file);
    uintptr_t at = size >= WH_RECORD_HEADER_SIZE ? os_map_file(file, (size_t)size) : 0;
    os_close(file);
    if (size < WH_RECORD_HEADER_SIZE) return RECORD_FOREIGN;
    if (!at) return RECORD_UNOPENABLE;
    header = (struct wh_record_header *)at;
    capacity = (uint64_t)size;
    owner = os_process();
    size_t length = wh_length(path);
    if (length < sizeof name) wh_copy(name, path, length + 1);
    enum record_status status = !alive()      ? RECORD_UNOPENABLE
                                : take_over() ? RECORD_OK
                                              : RECORD_FOREIGN;
    if (status != RECORD_OK) {
        header = NULL;
        os_unmap(at, (size_t)size);
    }
    return status;
}

int record_is_first(void) { return first && header->pid == os_process(); }

const char *record_path(void) { return header ? name : ""; }

int record_mapped(uintptr_t *begin, size_t *size) {
    *begin = (uintptr_t)header;
    *size = capacity;
    return header != NULL;
}

/* Whether every page of a part of the file that is ours can be written. */
static int backed(uintptr_t begin, uint64_t size) {
    for (uintptr_t at = begin; at < begin + size; at = wh_round_down(at, OS_PAGE) + OS_PAGE)
        if (!os_writable(at)) return 0;
    return 1;
}

static void write_parts(uintptr_t to, const struct record_part *parts, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        size_t padded = wh_round_up(parts[i].size, 8);
        wh_copy((void *)to, parts[i].data, parts[i].size);
        wh_fill((char *)to + parts[i].size, 0, padded - parts[i].size);
        to += padded;
    }
}

enum record_status record_append(uint32_t type, const struct record_part *parts, unsigned count) {
    uint64_t offset;
    return record_append_at(type, parts, count, &offset);
}

enum record_status record_append_at(uint32_t type, const struct record_part *parts, unsigned count,
                                    uint64_t *offset) {
    if (!header) return RECORD_NONE;
    if (!alive()) return RECORD_LOST;
    uint64_t length = 8;
    for (unsigned i = 0; i < count; i++) length += wh_round_up(parts[i].size, 8);
    uint64_t at = *offset = __atomic_fetch_add(&header->used, length, __ATOMIC_ACQ_REL);
    volatile uint32_t *prefix = (uint32_t *)((uintptr_t)header + at);
    int fits = at <= capacity && length <= capacity - at && length <= UINT32_MAX;
    if (fits && os_writable((uintptr_t)prefix)) { /* readers can skip it from here on */
        prefix[0] = 0;
        prefix[1] = (uint32_t)length;
    }
    if (!fits || !backed((uintptr_t)prefix + 8, length - 8)) {
        __atomic_add_fetch(&header->dropped, 1, __ATOMIC_RELAXED);
        return RECORD_FULL;
    }
    write_parts((uintptr_t)header + at + 8, parts, count);
    __atomic_store_n(prefix, type, __ATOMIC_RELEASE);
    return RECORD_OK;
}

/* ---- verdicts ---- */

#define ASK_WAIT_FIRST 50ull /* microseconds; doubled until */
#define ASK_WAIT_MOST 2000ull

int record_reader_has_ended(uint32_t process) {
    if (os_signal_thread(process, process, 0) == -ESRCH) return 1;
    char line[64]; /* "NUMBER (NAME) STATE …"; a name has at most 15 bytes */
    TEXT(path, 32);
    text_put(&path, "/proc/");
    text_decimal(&path, process);
    text_put_n(&path, "/stat", sizeof "/stat");
    long state = os_read_file(path.begin, line, sizeof line) - 1;
    while (state > 1 && line[state - 2] != ')') state--;
    return state > 1 && (line[state] == 'Z' || line[state] == 'X');
}

/* A pause between two looks at something the judge changes; 0 if that can not happen any more. */
static int ask_pause(uint64_t *wait, uint32_t judge) {
    if (record_reader_has_ended(judge) || !alive()) return 0;
    os_sleep_us(*wait);
    if (*wait < ASK_WAIT_MOST) *wait *= 2;
    return 1;
}

int record_ask(uint64_t offset, uint32_t judge) {
    uint64_t wait = ASK_WAIT_FIRST, none = 0;
    while (!__atomic_compare_exchange_n(&header->question, &none, offset, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
        none = 0;
        if (!ask_pause(&wait, judge)) return -1;
    }
    const struct wh_finding *finding = (const struct wh_finding *)((uintptr_t)header + offset + 8);
    for (wait = ASK_WAIT_FIRST;;) {
        if (!os_readable((uintptr_t)finding)) return -1;
        uint32_t flags = __atomic_load_n(&finding->flags, __ATOMIC_ACQUIRE);
        if (flags & (WH_FLAG_GO | WH_FLAG_STOP)) return (flags & WH_FLAG_GO) != 0;
        if (!ask_pause(&wait, judge)) return -1;
    }
}

struct processes {
    uint32_t begun, arrived, count, numbers[WH_PROCESSES_MOST];
};

static struct processes *processes(void) {
    return (struct processes *)((uintptr_t)header + WH_PROCESSES_OFFSET);
}

void record_join(void) {
    if (!alive()) return;
    uint32_t index = __atomic_fetch_add(&processes()->count, 1, __ATOMIC_ACQ_REL);
    if (index < WH_PROCESSES_MOST)
        __atomic_store_n(&processes()->numbers[index], os_process(), __ATOMIC_RELEASE);
}

void record_fork_begins(void) {
    if (alive()) __atomic_add_fetch(&processes()->begun, 1, __ATOMIC_ACQ_REL);
}

void record_fork_arrives(void) {
    record_join();
    if (alive()) __atomic_add_fetch(&processes()->arrived, 1, __ATOMIC_ACQ_REL);
}

void record_count_finding(void) {
    if (alive()) __atomic_add_fetch(&header->findings, 1, __ATOMIC_RELAXED);
}

void record_finish(void) {
    if (owner != os_process() || !alive()) return;
    if (header->pid == owner) header->state = WH_FILE_FINISHED;
}

int record_hold(int status, uint32_t reader) {
    if (!alive()) return 0;
    __atomic_store_n(&header->ended, WH_ENDED | (uint32_t)status, __ATOMIC_RELEASE);
    for (uint64_t wait = ASK_WAIT_FIRST;;) {
        uint32_t report = __atomic_load_n(&header->reported, __ATOMIC_ACQUIRE);
        if (report != WH_REPORT_WAITING) return report == WH_REPORT_STOP;
        if (!ask_pause(&wait, reader)) return 0;
    }
}
