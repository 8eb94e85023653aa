#include "outside.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../settings/options.h"
#include "made.h"

#include "thread.h"
#include "turns.h"

#define MORE (WH_OUTSIDE_BYTES + 1u)

int outside_mode, outside_calls;
static struct outside_calls_way calls_way;
__thread unsigned outside_paused;
__thread uint32_t outside_number;

static struct whence_outside_header *header;
static struct whence_outside_answer *answers;
static uint64_t known; /* answers of the first run */
static uint32_t program, process, parent;

/* Where this thread looks on; beyond `known`, it asked for something else once. */
static __thread uint64_t next_answer;

/* Pages of the file get room before they are written to: without room, that would be a signal. */
#define AHEAD 2048u

static int has_room(uint64_t number) {
    if (number % AHEAD && number) return 1;
    uint64_t end = number + AHEAD < WH_OUTSIDE_MOST ? number + AHEAD : WH_OUTSIDE_MOST;
    uintptr_t from = wh_round_down((uintptr_t)&answers[number], OS_PAGE);
    return os_populate(from, wh_round_up((uintptr_t)&answers[end], OS_PAGE) - from);
}

static void begin_with(const char *record) {
    TEXT(path, 600);
    text_put(&path, record);
    text_put(&path, WH_OUTSIDE_SUFFIX);
    text_put_n(&path, "", 1);
    int file = os_open(path.begin, OS_OPEN_READ_WRITE);
    if (file < 0) return;
    uintptr_t room = os_map_file(file, WH_OUTSIDE_SIZE);
    os_close(file);
    if (!room) return;
    header = (void *)room;
    answers = (void *)(header + 1);
    uint32_t nobody = 0, own = os_process();
    if (!__atomic_compare_exchange_n(&header->owner, &nobody, own, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE) &&
        nobody != own)
        return;
    program = header->programs++;
    known = options.outside == WH_OUTSIDE_REPEAT ? header->count : 0;
    if (known > WH_OUTSIDE_MOST) known = WH_OUTSIDE_MOST;
    process = own;
    int64_t result;
    outside_mode = (int)options.outside;
    if (OUTSIDE_KEPT) outside_keep(WH_OUTSIDE_PROCESS, NULL, 0, own);
    if (OUTSIDE_REPEATED && outside_again(WH_OUTSIDE_PROCESS, NULL, 0, &result))
        process = (uint32_t)result;
    turns_begin(outside_mode, header, program);
}

void outside_path(void) {
    if (!OUTSIDE_MADE) return;
    process = MADE_PROCESS;
    parent = MADE_PARENT;
}

void outside_begin(const char *record) {
    if (options.outside == WH_OUTSIDE_MADE) {
        outside_mode = WH_OUTSIDE_MADE;
        outside_path();
    } else if (options.outside && record && !options.calls) {
        begin_with(record);
    }
}

static void forked(void) {
    int goes_on = outside_calls == WH_CALLS_KEEP && calls_way.forked();
    if (!goes_on) outside_calls = WH_CALLS_NONE;
    if (!goes_on && !OUTSIDE_MADE) outside_mode = WH_OUTSIDE_NONE;
    parent = process;
    turns_forked();
    process = os_process();
}

const struct observer outside_observer = {.always = 1, .forked = forked};

void outside_forked_again(void) {
    int64_t result;
    if (!OUTSIDE_REPEATED || !outside_again(WH_OUTSIDE_PROCESS, NULL, 0, &result)) return;
    parent = process;
    process = (uint32_t)result;
}

uint32_t outside_process(void) { return OUTSIDE_NUMBERED ? process : os_process(); }

uint32_t outside_parent(void) { return parent; }

static uint64_t give_up(void) {
    next_answer = WH_OUTSIDE_MOST;
    __atomic_or_fetch(&header->astray, WH_ASTRAY_ANSWER, __ATOMIC_RELAXED);
    return WH_OUTSIDE_MOST;
}

/* The number of this thread's next answer, WH_OUTSIDE_MOST if it is none of this kind. */
static uint64_t find(unsigned kind) {
    uint16_t number = thread_here()->number;
    for (; next_answer < known; next_answer++) {
        const struct whence_outside_answer *at = &answers[next_answer];
        if (at->thread == number && at->program == program)
            return at->kind == kind ? next_answer++ : give_up();
    }
    return next_answer == known ? give_up() : WH_OUTSIDE_MOST;
}

void outside_begin_calls(int mode, const struct outside_calls_way *way) {
    int64_t result;
    calls_way = *way;
    outside_calls = outside_mode = mode;
    process = os_process();
    if (OUTSIDE_KEPT) outside_keep(WH_OUTSIDE_PROCESS, NULL, 0, process);
    if (OUTSIDE_REPEATED && outside_again(WH_OUTSIDE_PROCESS, NULL, 0, &result))
        process = (uint32_t)result;
}

int outside_again(unsigned kind, void *to, size_t size, int64_t *result) {
    if (outside_calls) return calls_way.again(kind, to, size, result);
    uint64_t at = find(kind), first = at;
    for (size_t done = 0; at < known; at = find(kind)) {
        const struct whence_outside_answer *answer = &answers[at];
        size_t count = answer->size == MORE ? WH_OUTSIDE_BYTES : answer->size;
        if (count > size - done) count = size - done;
        wh_copy((char *)to + done, &answer->first, count);
        done += count;
        if (answer->size == MORE) continue;
        *result = (int64_t)answers[first].result;
        return 1;
    }
    return 0;
}

static void put(unsigned kind, const char *from, size_t size, int64_t result) {
    uint64_t number = __atomic_fetch_add(&header->count, 1, __ATOMIC_RELAXED);
    if (number >= WH_OUTSIDE_MOST || !has_room(number)) {
        __atomic_fetch_sub(&header->count, 1, __ATOMIC_RELAXED);
        return;
    }
    struct whence_outside_answer *answer = &answers[number];
    answer->thread = thread_here()->number;
    answer->program = (uint16_t)program;
    answer->size = (uint16_t)size;
    answer->result = (uint64_t)result;
    if (size) wh_copy(&answer->first, from, size < WH_OUTSIDE_BYTES ? size : WH_OUTSIDE_BYTES);
    __atomic_store_n(&answer->kind, (uint16_t)kind, __ATOMIC_RELEASE);
}

void outside_keep(unsigned kind, const void *from, size_t size, int64_t result) {
    const char *bytes = from;
    if (outside_calls) {
        calls_way.keep(kind, from, size, result);
        return;
    }
    for (; size > WH_OUTSIDE_BYTES; bytes += WH_OUTSIDE_BYTES, size -= WH_OUTSIDE_BYTES)
        put(kind, bytes, MORE, result);
    put(kind, bytes, size, result);
}

void outside_named(char *name) {
    int64_t result;
    if (!outside_calls) return;
    size_t size = wh_length(name) + 1;
    if (OUTSIDE_KEPT) outside_keep(WH_OUTSIDE_NAME, name, size, 0);
    if (OUTSIDE_REPEATED) outside_again(WH_OUTSIDE_NAME, name, size, &result);
}
