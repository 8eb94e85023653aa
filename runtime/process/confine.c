#include "confine.h"
#include "filters.h"
#include "maps.h"
#include "thread.h"
#include "../alloc/slots.h"
#include "../os/os.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef SECCOMP_FILTER_FLAG_NEW_LISTENER
#define SECCOMP_FILTER_FLAG_NEW_LISTENER (1UL << 3)
#endif

static uint32_t strict, unread; /* how many such calls were made */

/* Of filters that are too large only the calls count that hardly any refuses. */
static int allows(long number, const uint64_t *words) {
    int basic = number == SYS_read || number == SYS_write;
    if (__atomic_load_n(&strict, __ATOMIC_RELAXED)) return basic || number == SYS_exit;
    if (__atomic_load_n(&unread, __ATOMIC_RELAXED)) return basic || number == SYS_exit_group;
    return filters_allow(number, words);
}

/* ---- what is asked for ---- */

static int can_be_read(const void *begin, size_t size) {
    uintptr_t at = (uintptr_t)begin, last = at + size - 1;
    for (; at < last; at += OS_PAGE)
        if (!os_readable_word(at)) return 0;
    return os_readable_word(last);
}

static struct confinement filter(const struct sock_fprog *program) {
    struct confinement none = {0};
    if (!can_be_read(program, sizeof *program) || !program->len) return none;
    if (!can_be_read(program->filter, program->len * sizeof *program->filter)) return none;
    unsigned number = filters_keep(program->filter, program->len);
    return (struct confinement){number ? CONFINE_FILTER : CONFINE_UNREAD, number, 0};
}

static struct confinement asked_for(long number, const long *words) {
    struct confinement none = {0}, whole = {CONFINE_STRICT, 0, 0};
    if (number == SYS_prctl) {
        if (words[0] != PR_SET_SECCOMP) return none;
        if (words[1] == SECCOMP_MODE_STRICT) return whole;
        return words[1] == SECCOMP_MODE_FILTER ? filter((const void *)words[2]) : none;
    }
    if (words[0] == SECCOMP_SET_MODE_STRICT) return whole;
    if (words[0] != SECCOMP_SET_MODE_FILTER) return none;
    struct confinement made = filter((const void *)words[2]);
    made.has_listener = (words[1] & (long)SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0;
    return made;
}

/* ---- around the call ---- */

struct confinement confine_begin(long number, const long *words) {
    struct confinement made = asked_for(number, words);
    if (made.kind == CONFINE_NOT) return made;
    maps_keep();
    slots_open_ahead();
    if (made.kind == CONFINE_STRICT) __atomic_add_fetch(&strict, 1, __ATOMIC_RELAXED);
    if (made.kind == CONFINE_UNREAD) __atomic_add_fetch(&unread, 1, __ATOMIC_RELAXED);
    os_confine(allows);
    return made;
}

static void undo(const struct confinement *confinement) {
    if (confinement->kind == CONFINE_STRICT) __atomic_sub_fetch(&strict, 1, __ATOMIC_RELAXED);
    if (confinement->kind == CONFINE_UNREAD) __atomic_sub_fetch(&unread, 1, __ATOMIC_RELAXED);
    if (confinement->kind == CONFINE_FILTER) filters_drop(confinement->filter);
    if (!strict && !unread && !filters_count()) os_confine(NULL);
    maps_let_go();
}

static void say(const struct confinement *confinement) {
    static int noted, noted_memory;
    if (confinement->kind == CONFINE_STRICT) {
        rt_note(&noted, "the program has entered strict mode of seccomp: leaks are not searched "
                        "from then on, and allocations fail beyond the memory opened before");
        return;
    }
    if (!confine_leaves_search())
        rt_note(&noted, "the program's filter of system calls (seccomp) refuses some that whence "
                        "needs: leaks are not searched from then on");
    if (!os_may(SYS_mprotect) && !os_may(SYS_mmap))
        rt_note(&noted_memory, "the program's filter of system calls (seccomp) refuses mmap and "
                               "mprotect: allocations fail beyond the memory opened before");
}

void confine_end(struct confinement *confinement, long result) {
    if (confinement->kind == CONFINE_NOT) return;
    /* A positive number is that of a thread that could not be made to take it. */
    if (confinement->has_listener ? result < 0 : result != 0) {
        undo(confinement);
        return;
    }
    if (os_may(SYS_openat) && os_may(SYS_mmap)) maps_let_go();
    say(confinement);
}

/* ---- what leak searches need ---- */

static int all_may(const long *numbers, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (!os_may(numbers[i])) return 0;
    return 1;
}

int confine_leaves_search(void) {
    static const long alone[] = {SYS_openat, SYS_read,    SYS_close,          SYS_mmap,
                                 SYS_munmap, SYS_mincore, SYS_rt_sigprocmask, SYS_madvise};
    static const long among_threads[] = {
        SYS_clone, SYS_wait4,     SYS_ptrace, SYS_prctl,   SYS_getdents64,  SYS_clock_gettime,
        SYS_futex, SYS_nanosleep, SYS_exit,   SYS_getppid, SYS_rt_sigreturn};
    if (!all_may(alone, sizeof alone / sizeof *alone)) return 0;
    return !os_has_threads() ||
           all_may(among_threads, sizeof among_threads / sizeof *among_threads);
}
