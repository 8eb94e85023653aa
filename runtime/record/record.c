#include "record.h"
#include "known.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"

#include <errno.h>

static struct wh_record_header *header;
static uint64_t capacity, mapped;
static struct known known;
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

/* Maps the file, or as much of its begin as this process may map; then without the table. */
static uintptr_t map_most(int file, uint64_t size) {
    uintptr_t at;
    for (mapped = size; !(at = os_map_file(file, mapped)) && mapped > WH_RECORD_TABLE_FROM;)
        mapped = wh_round_down(mapped / 4, OS_PAGE);
    int has_table = size >= WH_RECORD_TABLE_FROM && size % OS_PAGE == 0;
    capacity = has_table ? size - WH_RECORD_TABLE_SIZE : size;
    known = (struct known){at, has_table && mapped == size ? capacity : 0};
    if (capacity > mapped) capacity = mapped;
    return at;
}

enum record_status record_init(const char *path) {
    if (!path || !*path) return RECORD_NONE;
    int file = os_open(path, OS_OPEN_READ_WRITE);
    if (file < 0) return RECORD_UNOPENABLE;
    long size = os_file_size(file);
    uintptr_t at = size >= WH_RECORD_HEADER_SIZE ? map_most(file, (uint64_t)size) : 0;
    os_close(file);
    if (size < WH_RECORD_HEADER_SIZE) return RECORD_FOREIGN;
    if (!at) return RECORD_UNOPENABLE;
    header = (struct wh_record_header *)at;
    owner = os_process();
    size_t length = wh_length(path);
    if (length < sizeof name) wh_copy(name, path, length + 1);
    enum record_status status = !alive()      ? RECORD_UNOPENABLE
                                : take_over() ? RECORD_OK
                                              : RECORD_FOREIGN;
    if (status != RECORD_OK) {
        header = NULL;
        os_unmap(at, mapped);
    }
    return status;
}

int record_is_first(void) { return first && header->pid == os_process(); }

uint32_t record_process(void) { return alive() ? header->pid : 0; }

const char *record_path(void) { return header ? name : ""; }

int record_mapped(uintptr_t *begin, size_t *size) {
    *begin = (uintptr_t)header;
    *size = mapped;
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

static uint64_t first_word(const struct record_part *part) {
    uint64_t word;
    wh_copy(&word, part->data, sizeof word);
    return word;
}

enum record_status record_once(uint32_t type, const struct record_part *parts, unsigned count,
                               uint64_t *offset) {
    uint64_t word = first_word(parts);
    if (header && alive() && (*offset = known_find(&known, type, word))) return RECORD_KNOWN;
    enum record_status status = record_append_at(type, parts, count, offset);
    if (status == RECORD_OK) known_add(&known, type, word, *offset);
    return status;
}

enum record_status record_text_once(uint32_t type, const char *text) {
    uint64_t offset;
    uint32_t length = (uint32_t)wh_length(text);
    uint32_t head[2] = {length, (uint32_t)wh_digest(WH_DIGEST_OF_NOTHING, text, length)};
    const struct record_part parts[] = {{head, sizeof head}, {text, length}};
    return record_once(type, parts, 2, &offset);
}

void record_is_reused(void) { known.capacity = 0; }

struct wh_finding *record_finding(uint64_t offset) {
    uintptr_t at = (uintptr_t)header + offset + 8;
    int whole = os_readable(at) && os_readable(at + sizeof(struct wh_finding) - 8);
    return whole ? (struct wh_finding *)at : NULL;
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

/* The verdict about a finding, which may be one that another process has asked about; 0: none yet.
 */
static uint32_t decided(uint64_t offset) {
    const struct wh_finding *finding = record_finding(offset);
    if (!finding) return 0;
    uint32_t flags = __atomic_load_n(&finding->flags, __ATOMIC_ACQUIRE);
    return flags & WH_FLAG_STOP ? WH_FLAG_STOP : flags & WH_FLAG_GO;
}

int record_ask(uint64_t offset, uint32_t judge) {
    uint64_t wait = ASK_WAIT_FIRST, none = 0;
    while (!decided(offset) && !__atomic_compare_exchange_n(&header->question, &none, offset, 0,
                                                            __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        none = 0;
        if (!ask_pause(&wait, judge)) return -1;
    }
    for (wait = ASK_WAIT_FIRST;;) {
        if (!record_finding(offset)) return -1;
        uint32_t verdict = decided(offset);
        if (verdict) return verdict == WH_FLAG_GO;
        if (!ask_pause(&wait, judge)) return -1;
    }
}

struct processes {
    uint32_t begun, arrived, count, numbers[WH_PROCESSES_MOST];
};

static struct processes *processes(void) {
    return (struct processes *)((uintptr_t)header + WH_PROCESSES_OFFSET);
}

static uint32_t joined; /* the process that has; a child of vfork sees its parent's number */

static void register_number(uint32_t process) {
    if (!alive()) return;
    uint32_t index = __atomic_fetch_add(&processes()->count, 1, __ATOMIC_ACQ_REL);
    if (index < WH_PROCESSES_MOST)
        __atomic_store_n(&processes()->numbers[index], process, __ATOMIC_RELEASE);
}

void record_join(void) { register_number(joined = os_process()); }

void record_expect(uint32_t process) {
    if (process != joined) register_number(process);
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
