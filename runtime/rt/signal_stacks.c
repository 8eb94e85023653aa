#include "signal_stacks.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/thread.h"

/* Stacks of more than SMALL bytes are taken as they are: they have room, and may be coroutines',
 * whose memory the program looks at. Others get GROWTH times as much, and ROOM for wrappers. */
#define LEAST 2048u /* the kernel refuses smaller ones */
#define SMALL (64u << 10)
#define GROWTH 4u
#define ROOM (64u << 10)
#define MOST 1024u

static struct row {
    uintptr_t begin, ours; /* 0: no row */
    size_t size, room;
} rows[MOST];
static unsigned count; /* of rows that were ever used */
static struct os_lock lock;

void signal_stacks_lock(void) { os_lock(&lock); }

void signal_stacks_unlock(void) { os_unlock(&lock); }

static struct row *row_of(uintptr_t begin, size_t size) {
    for (unsigned i = 0; i < count; i++)
        if (rows[i].begin == begin && rows[i].size == size) return &rows[i];
    return NULL;
}

static struct row *row_of_ours(uintptr_t ours) {
    for (unsigned i = 0; ours && i < count; i++)
        if (rows[i].ours == ours) return &rows[i];
    return NULL;
}

static struct row *add(uintptr_t begin, size_t size) {
    struct row *row = row_of(0, 0);
    if (!row && count < MOST) row = &rows[count++];
    if (!row) return NULL;
    size_t room = wh_round_up(size * GROWTH + ROOM, OS_PAGE);
    uintptr_t ours = os_map(room);
    if (ours) *row = (struct row){begin, ours, size, room};
    return ours ? row : NULL;
}

stack_t signal_stacks_given(const stack_t *stack) {
    stack_t given = *stack;
    uintptr_t begin = (uintptr_t)stack->ss_sp;
    int is_small = stack->ss_size >= LEAST && stack->ss_size < SMALL;
    if ((stack->ss_flags & SS_DISABLE) || !is_small || !begin ||
        begin == thread_here()->alternate_stack)
        return given;
    os_lock(&lock);
    struct row *row = row_of(begin, stack->ss_size);
    if (!row) row = add(begin, stack->ss_size);
    if (row) {
        given.ss_sp = (void *)row->ours;
        given.ss_size = row->room;
    }
    os_unlock(&lock);
    return given;
}

void signal_stacks_told(stack_t *stack) {
    os_lock(&lock);
    const struct row *row = row_of_ours((uintptr_t)stack->ss_sp);
    if (row) {
        stack->ss_sp = (void *)row->begin;
        stack->ss_size = row->size;
    }
    os_unlock(&lock);
}

/* A handler begins at the upper end of its stack. */
#define TOP 4096u

static int was_used(const struct row *row) {
    const uint64_t *end = (const uint64_t *)(row->ours + row->room), *at = end - TOP / sizeof *at;
    while (at < end && !*at) at++;
    return at < end;
}

static void drop(struct row *row) {
    os_unmap(row->ours, row->room);
    *row = (struct row){0};
}

void signal_stacks_left(const stack_t *stack) {
    os_lock(&lock);
    struct row *row = row_of_ours((uintptr_t)stack->ss_sp);
    if (row && !was_used(row)) drop(row);
    os_unlock(&lock);
}

void signal_stacks_close_thread(void) {
    struct os_stack now = {0}, none = {NULL, SS_DISABLE, 0};
    if (!count || os_alternate_stack(NULL, &now)) return;
    os_lock(&lock);
    struct row *row = row_of_ours((uintptr_t)now.begin);
    if (row && !os_alternate_stack(&none, NULL)) drop(row);
    os_unlock(&lock);
}
