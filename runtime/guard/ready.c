#include "ready.h"
#include "../os/mem.h"
#include "../os/trace.h"
#include "../process/maps.h"
#include "../rt/signals.h"
#include "dispatch.h"
#include "trap.h"

#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

/* ---- asynchronous accesses by the kernel or other processes ---- */

static int has_text(const char *at, const char *end, const char *text) {
    size_t length = wh_length(text);
    for (; at + length <= end; at++) {
        size_t same = 0;
        while (same < length && at[same] == text[same]) same++;
        if (same == length) return 1;
    }
    return 0;
}

/* The mappings show rings for asynchronous requests that exist already. */
static int is_used_later(void) {
    size_t size;
    uintptr_t text = maps_read(&size);
    if (!text) return 1;
    const char *at = (const char *)text, *end = at + size;
    int used = has_text(at, end, "[io_uring]") || has_text(at, end, "/[aio]");
    os_unmap(text, MAPS_ROOM);
    return used;
}

int ready_ends_by(long number, const uint64_t *words) {
    switch (number) {
    case SYS_io_uring_setup:
    case SYS_io_setup:
    case SYS_userfaultfd:
    case SYS_seccomp: return 1;
    case SYS_ptrace: return words[0] == PTRACE_TRACEME;
    case SYS_prctl: return words[0] == PR_SET_SECCOMP;
    case SYS_rt_sigaction: /* the runtime's own calls are not intercepted */
        return words[1] && (words[0] == SIGSYS || words[0] == SIGSEGV);
    default: return 0;
    }
}

/* ---- signals ---- */

#define SIGNALS 64
#define NEEDED (SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGSYS))

static int is_free(int number) {
    struct catching_action now;
    return catching_set(number, NULL, &now) == 0 && !now.handler;
}

static void unblock(void) {
    uint64_t needed = NEEDED;
    os_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&needed, 0, sizeof needed, 0, 0);
    for (int number = 1; number <= SIGNALS; number++) {
        struct catching_action now;
        if (catching_set(number, NULL, &now) < 0 || !(now.mask & NEEDED)) continue;
        now.mask &= ~NEEDED;
        catching_set(number, &now, NULL);
    }
}

int ready_for_packing(void) {
    if (trap_is_on()) return dispatch_is_on();
    if (os_has_threads() || !signals_take_faults() || !is_free(SIGSYS) || os_traced() ||
        is_used_later())
        return 0;
    unblock();
    return dispatch_begin();
}
