#include "calls.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../process/thread.h"
#include "../settings/options.h"

#include <fcntl.h>
#include <sys/syscall.h>

static struct whence_calls_header *header; /* the calls stand behind it */

/* What is kept stands in memory until there is a finding: only then somebody wants it. More than
 * IN_MEMORY bytes go to the file at once, whose pages get room before they are written to: without
 * room, that would be a signal. */
#define IN_MEMORY (UINT64_C(1) << 25)
#define AHEAD (UINT64_C(1) << 20)
static uint64_t room;    /* bytes from the begin of the header on that can be written to */
static uint64_t written; /* bytes of memory that the file has */
static struct os_lock file_lock;
static char path_of_file[600];

/* ---- the file ---- */

static int set_path(const char *record) {
    TEXT(path, sizeof path_of_file);
    text_put(&path, record);
    text_put(&path, WH_CALLS_SUFFIX);
    text_put_n(&path, "", 1);
    wh_copy(path_of_file, path.begin, path.length);
    return path.length < path.capacity;
}

/* Behind the name, the number of a child. */
static int add_process(void) {
    static size_t own_length;
    TEXT(path, sizeof path_of_file);
    if (!own_length) own_length = wh_length(path_of_file);
    text_put_n(&path, path_of_file, own_length);
    text_put(&path, ".");
    text_decimal(&path, os_process());
    text_put_n(&path, "", 1);
    wh_copy(path_of_file, path.begin, path.length);
    return path.length < path.capacity;
}

/* The first time, it is made: another process may have been before. */
static int is_made;

static int open_file(void) {
    long how = O_RDWR | O_CLOEXEC | (is_made ? 0 : O_CREAT | O_EXCL);
    long file = os_call(SYS_openat, AT_FDCWD, (long)path_of_file, how, 0600, 0, 0);
    if (os_failed(file)) return -1;
    is_made = 1;
    return (int)file;
}

/* Writes what the file lacks of memory. */
static void write_memory(int file) {
    uint64_t end = sizeof *header + header->used;
    if (end > IN_MEMORY) end = IN_MEMORY;
    while (written < end) {
        long count = os_call(SYS_pwrite64, file, (long)header + (long)written,
                             (long)(end - written), (long)written, 0, 0);
        if (count <= 0) return;
        written += (uint64_t)count;
    }
}

void calls_write(void) {
    if (!CALLS_KEPT && !(header && header->flags & WH_CALLS_FULL)) return;
    os_lock(&file_lock);
    int file = open_file();
    if (file >= 0) {
        write_memory(file);
        os_call(SYS_pwrite64, file, (long)header, sizeof *header, 0, 0, 0);
        os_close(file);
    }
    os_unlock(&file_lock);
}

/* The rest of the range belongs to the file. */
static int map_rest(void) {
    int file = open_file();
    if (file < 0) return 0;
    int done =
        !os_call(SYS_ftruncate, file, WH_CALLS_SIZE, 0, 0, 0, 0) &&
        !os_map_shared((uintptr_t)header + IN_MEMORY, file, WH_CALLS_SIZE - IN_MEMORY, IN_MEMORY);
    os_close(file);
    return done;
}

/* ---- begin ---- */

static int begin_again(void) {
    int file = os_open(path_of_file, OS_OPEN_READ_WRITE);
    if (file < 0) return 0;
    uintptr_t begin = os_map_file(file, WH_CALLS_SIZE);
    os_close(file);
    header = (void *)begin;
    uint32_t nobody = 0;
    return begin && __atomic_compare_exchange_n(&header->owner, &nobody, os_process(), 0,
                                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static int begin_keeping(void) {
    uintptr_t begin;
    if (os_reserve_anywhere(&begin, WH_CALLS_SIZE, OS_READ_WRITE)) return 0;
    header = (void *)begin;
    room = IN_MEMORY;
    return calls_take_sites();
}

static int answer_again(unsigned kind, void *to, size_t size, int64_t *result) {
    const struct whence_call *call = calls_again(WH_CALLS_OUTSIDE + kind, 0);
    if (!call) return 0;
    if (size) wh_copy(to, call + 1, call->outputs < size ? call->outputs : size);
    *result = (int64_t)call->result;
    return 1;
}

static void keep_answer(unsigned kind, const void *from, size_t size, int64_t result) {
    struct whence_call *call = calls_room(WH_CALLS_OUTSIDE + kind, 0, result, size);
    if (!call) return;
    if (size) wh_copy(call + 1, from, size);
    calls_done(call);
}

/* A child has its parent's memory, and writes a file of its own. */
static int forked(void) {
    if (room != IN_MEMORY || os_threaded) return 0;
    is_made = 0;
    written = 0;
    file_lock = (struct os_lock){0};
    return add_process();
}

void calls_begin(const char *record) {
    static const struct outside_calls_way way = {answer_again, keep_answer, forked};
    if (!options.calls || !record || !set_path(record)) return;
    int keeps = options.calls == WH_CALLS_KEEP;
    if (keeps ? !begin_keeping() : !(begin_again() && calls_find_library())) return;
    outside_begin_calls((int)options.calls, &way);
    calls_take_clock();
}

/* ---- keeping ---- */

static void stop_keeping(void) {
    __atomic_or_fetch(&header->flags, WH_CALLS_FULL, __ATOMIC_RELAXED);
    __atomic_store_n(&outside_calls, WH_CALLS_NONE, __ATOMIC_RELAXED);
    __atomic_store_n(&outside_mode, WH_OUTSIDE_NONE, __ATOMIC_RELAXED);
}

static int make_room(uint64_t end) {
    uint64_t wanted = wh_round_up(end, AHEAD);
    if (wanted > WH_CALLS_SIZE || (room == IN_MEMORY && !map_rest())) return 0;
    if (!os_populate((uintptr_t)header + room, wanted - room)) return 0;
    __atomic_store_n(&room, wanted, __ATOMIC_RELEASE);
    return 1;
}

static int has_room(uint64_t end) {
    end += sizeof *header;
    if (WH_LIKELY(end <= __atomic_load_n(&room, __ATOMIC_ACQUIRE))) return 1;
    os_lock(&file_lock);
    int has = end <= room || make_room(end);
    os_unlock(&file_lock);
    return has;
}

/* The calling thread's last call, if nothing but its answer is kept. */
static __thread struct whence_call *last_plain;

/* Calls with equal answers, one after the other, are one with a count. */
static int is_repeated(unsigned number, uint32_t site, int64_t result) {
    struct whence_call *last = last_plain;
    if (!last || last->number != number || last->site != site || (int64_t)last->result != result ||
        last->repeats == UINT32_MAX)
        return 0;
    last->repeats++;
    return 1;
}

struct whence_call *calls_room(unsigned number, uint32_t site, int64_t result, size_t outputs) {
    if (!outputs && is_repeated(number, site, result)) return NULL;
    uint64_t size = wh_round_up(sizeof(struct whence_call) + outputs, sizeof(uint64_t));
    uint64_t at = __atomic_fetch_add(&header->used, size, __ATOMIC_RELAXED);
    if (size >> 31 || !has_room(at + size)) {
        stop_keeping();
        return NULL;
    }
    struct whence_call *call = (void *)((char *)(header + 1) + at);
    call->site = site;
    call->number = (uint16_t)number;
    call->thread = thread_here()->number;
    call->outputs = (uint32_t)outputs;
    call->repeats = 0;
    call->result = (uint64_t)result;
    last_plain = outputs ? NULL : call;
    return call;
}

void calls_done(struct whence_call *call) {
    uint64_t size = wh_round_up(sizeof *call + call->outputs, sizeof(uint64_t));
    __atomic_store_n(&call->size, (uint32_t)size, __ATOMIC_RELEASE);
}

void calls_keep_answer(unsigned number, const struct calls_answer *answer) {
    size_t size = sizeof answer->events;
    struct whence_call *call = CALLS_KEPT ? calls_room(number, 0, answer->result, size) : NULL;
    if (!call) return;
    wh_copy(call + 1, &answer->events, size);
    calls_done(call);
}

/* ---- again ---- */

static __thread uint64_t next_call; /* where this thread looks on */
static __thread uint32_t repeated;  /* how often the call there was repeated */
static __thread int is_astray;

static int is_whole(const struct whence_call *call, uint64_t left) {
    return call->size >= sizeof *call && call->size <= left && call->size % sizeof(uint64_t) == 0 &&
           call->outputs <= call->size - sizeof *call;
}

static const struct whence_call *find(void) {
    uint16_t number = thread_here()->number;
    uint64_t end = header->used, most = WH_CALLS_SIZE - sizeof *header;
    if (end > most) end = most;
    while (next_call + sizeof(struct whence_call) <= end) {
        const struct whence_call *call = (const void *)((char *)(header + 1) + next_call);
        if (!is_whole(call, end - next_call)) break; /* nor is what follows */
        if (call->thread == number) return call;
        next_call += call->size;
    }
    return NULL;
}

const struct whence_call *calls_again(unsigned number, uint32_t site) {
    if (!CALLS_REPEATED || is_astray || outside_paused) return NULL;
    const struct whence_call *call = find();
    if (call && call->number == number && call->site == site) {
        if (repeated++ == call->repeats) {
            next_call += call->size;
            repeated = 0;
        }
        return call;
    }
    is_astray = 1;
    if (call) __atomic_or_fetch(&header->flags, WH_CALLS_ASTRAY, __ATOMIC_RELAXED);
    return NULL;
}

int calls_answer_again(unsigned number, struct calls_answer *answer) {
    const struct whence_call *call = calls_again(number, 0);
    if (!call || call->outputs != sizeof answer->events) return 0;
    answer->result = (int64_t)call->result;
    wh_copy(&answer->events, call + 1, sizeof answer->events);
    return 1;
}
