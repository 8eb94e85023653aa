#include "profile.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../process/maps.h"
#include "../process/thread.h"
#include "../record/record.h"
#include "../stacks/depot.h"
#include "../stacks/memo.h"

#include <errno.h>

static struct table table; /* `head`: NULL without a profile */
static uintptr_t mapped;   /* where its file is, for ever */
static uint64_t capacity;  /* rows that the file has room for */
static struct os_lock lock;
static int has_forked; /* the file that is mapped is the parent's */

/* Stacks beyond this number share row 0. */
#define STACKS_MOST (1u << 22)
/* By the depot's number of the stack: 1 + the row; 0: not known yet. */
static uint32_t *row_of_stack;

/* ---- the file ---- */

static int make_file(void) {
    for (unsigned program = 0; program < WH_PROFILE_PROGRAMS; program++) {
        TEXT(path, 600);
        text_put(&path, record_path());
        text_put(&path, WH_PROFILE_SUFFIX);
        text_decimal(&path, os_process());
        text_put(&path, ".");
        text_decimal(&path, program);
        text_put_n(&path, "", 1);
        int file = path.length < path.capacity ? os_make_file(path.begin) : -1;
        if (file != -EEXIST) return file;
    }
    return -1;
}

static uint64_t rows_of_size(uint64_t size) {
    size = wh_round_down(size, OS_PAGE);
    uint64_t rows =
        size > WH_PROFILE_ROWS_AT ? (size - WH_PROFILE_ROWS_AT) / WH_PROFILE_ROW_SIZE : 0;
    return rows < WH_PROFILE_ROWS ? rows : WH_PROFILE_ROWS;
}

static uint64_t size_of_rows(uint64_t rows) {
    return wh_round_up(WH_PROFILE_ROWS_AT + rows * WH_PROFILE_ROW_SIZE, OS_PAGE);
}

/* Whether pages of the file have room on its disk. */
static int has_room(uintptr_t begin, uint64_t size) {
    for (uintptr_t at = begin; at < begin + size; at = wh_round_down(at, OS_PAGE) + OS_PAGE)
        if (!os_writable(at)) return 0;
    return 1;
}

static int map_file(int file) {
    long size = os_enlarge_file(file, size_of_rows(WH_PROFILE_ROWS));
    uint64_t rows = rows_of_size(size > 0 ? (uint64_t)size : 0);
    if (rows < WH_PROFILE_ROWS_LEAST) return 0;
    if (!mapped && !(mapped = os_map(size_of_rows(WH_PROFILE_ROWS)))) return 0;
    if (os_map_shared(mapped, file, wh_round_down((uint64_t)size, OS_PAGE), 0) < 0) return 0;
    if (!has_room(mapped, WH_PROFILE_ROWS_AT + WH_PROFILE_ROW_SIZE)) return 0;
    capacity = rows;
    table = table_at(mapped);
    long length = os_read_file("/proc/self/cmdline", (char *)mapped + WH_PROFILE_COMMAND_AT,
                               WH_PROFILE_POINTS_AT - WH_PROFILE_COMMAND_AT);
    table.head->command = length > 0 ? (uint64_t)length : 0;
    table_begin(&table, os_now_us());
    return 1;
}

static int open_file(void) {
    static int noted;
    int file = *record_path() ? make_file() : -1;
    int done = file >= 0 && map_file(file);
    if (file >= 0) os_close(file);
    if (done) return 1;
    table.head = NULL;
    rt_note(&noted, "the heap of a process was not counted: its file could not be made beside the "
                    "record of the run");
    return 0;
}

void profile_begin(void) {
    row_of_stack = (uint32_t *)os_map(STACKS_MOST * sizeof *row_of_stack);
    if (row_of_stack) open_file();
}

/* ---- rows ---- */

/* The code that the MAPS record `maps` has, as of `generation` of loaded code. */
#define RANGES_MOST 512u
static struct {
    uintptr_t begin, end;
} ranges[RANGES_MOST];
static unsigned range_count;
static uint32_t maps, generation;

static void read_ranges(void) {
    size_t size = 0, at = 0;
    range_count = 0;
    generation = __atomic_load_n(&memo_generation, __ATOMIC_ACQUIRE);
    maps = maps_current();
    uintptr_t text = maps_read(&size);
    struct mapping mapping;
    while (text && range_count < RANGES_MOST &&
           maps_parse((const char *)text, size, &at, &mapping)) {
        if (mapping.protection[2] != 'x') continue;
        ranges[range_count].begin = mapping.begin;
        ranges[range_count++].end = mapping.end;
    }
    if (text) os_unmap(text, MAPS_ROOM);
}

static int is_known(uintptr_t pc) {
    for (unsigned i = 0; i < range_count; i++)
        if (pc - ranges[i].begin < ranges[i].end - ranges[i].begin) return 1;
    return 0;
}

/* The number of the record that names the code of a stack. */
static uint32_t maps_of(const uint64_t *pcs, unsigned count) {
    unsigned known = 0;
    if (generation == __atomic_load_n(&memo_generation, __ATOMIC_ACQUIRE))
        while (known < count && is_known(pcs[known])) known++;
    if (known < count || !maps) read_ranges();
    return maps;
}

static uint32_t new_row(uint32_t stack) {
    uint32_t number = table.head->rows;
    struct wh_profile_row *row = table_row(&table, number);
    if (number >= capacity || !has_room((uintptr_t)row, WH_PROFILE_ROW_SIZE)) {
        table.head->crowded++;
        return 0;
    }
    uint64_t *frames = table_frames(row);
    row->frames = depot_get(stack, frames, WH_ALLOC_FRAMES);
    row->maps = maps_of(frames, row->frames);
    __atomic_store_n(&table.head->rows, number + 1, __ATOMIC_RELEASE);
    return number;
}

uint32_t profile_row(uint32_t stack) {
    uint32_t number = depot_number(stack);
    if (WH_UNLIKELY(number >= STACKS_MOST)) return 0;
    if (WH_UNLIKELY(!row_of_stack[number])) row_of_stack[number] = 1 + new_row(stack);
    return row_of_stack[number] - 1;
}

/* ---- threads and forks ---- */

void profile_miss(void) {
    if (table.head) __atomic_add_fetch(&table.head->missed, 1, __ATOMIC_RELAXED);
}

/* The child's counts begin anew: who had which rows is told by its own blocks, since the file that
 * it has mapped is its parent's. */
static int begin_again(profile_inherit *inherit, uintptr_t except) {
    has_forked = 0;
    os_discard((uintptr_t)row_of_stack, STACKS_MOST * sizeof *row_of_stack);
    if (!open_file()) return 0;
    table.head->forked = 1;
    inherit(&table, except);
    return 1;
}

void profile_forked(void) {
    if (!table.head) return;
    has_forked = 1;
    lock.word = 0; /* threads that the child has not may have held it */
    thread_here()->profiling = 0;
}

const struct table *profile_enter(struct thread *thread, profile_inherit *inherit,
                                  uintptr_t except) {
    if (WH_UNLIKELY(!table.head)) return NULL;
    if (WH_UNLIKELY(thread->profiling)) {
        profile_miss();
        return NULL;
    }
    thread->profiling = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (os_has_threads()) os_lock(&lock);
    if (WH_LIKELY(!has_forked) || begin_again(inherit, except)) return &table;
    profile_leave(thread);
    return NULL;
}

void profile_leave(struct thread *thread) {
    if (__atomic_load_n(&lock.word, __ATOMIC_RELAXED)) os_unlock(&lock);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->profiling = 0;
}
