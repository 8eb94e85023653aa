#include "dispatch.h"
#include "../os/mem.h"
#include "../rt/signals.h"
#include "../process/thread.h"
#include "hold.h"
#include "options.h"
#include "pager.h"
#include "ready.h"
#include "trap.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>

static __thread volatile char selector __attribute__((tls_model("initial-exec")));
static __thread int armed __attribute__((tls_model("initial-exec")));
static int available;

/* ---- calls ---- */

static long make_open(long number, const uint64_t *words) {
    options_open_all();
    long result = os_call_words(number, words);
    options_close_all();
    return result;
}

/* Calls with a signal mask must not block the signals of traps, because handlers that run during
 * the call may fault, too. The index of the argument that is, or leads to, the mask; -1: none. */
static int place_of_mask(long number) {
    switch (number) {
    case SYS_rt_sigsuspend: return 0;
    case SYS_ppoll: return 3;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2: return 4;
    case SYS_pselect6: return 5;
    default: return -1;
    }
}

static long make_masked(long number, const uint64_t *words) {
    int place = place_of_mask(number);
    uint64_t changed[6], mask, pair[2];
    if (place < 0 || !words[place] || !os_readable(words[place]))
        return os_call_words(number, words);
    wh_copy(changed, words, sizeof changed);
    uintptr_t at = words[place];
    if (number == SYS_pselect6) {
        wh_copy(pair, (const void *)at, sizeof pair);
        at = pair[0];
        pair[0] = (uintptr_t)&mask;
        if (!at || !os_readable(at)) return os_call_words(number, words);
    }
    mask = *(const wh_word *)at & ~trap_signals();
    changed[place] = number == SYS_pselect6 ? (uintptr_t)pair : (uintptr_t)&mask;
    return os_call_words(number, changed);
}

static long make_action(const uint64_t *words) {
    uint64_t changed[6];
    struct catching_action action;
    wh_copy(changed, words, sizeof changed);
    if (words[1] && os_readable(words[1]) && os_readable(words[1] + sizeof action - 1)) {
        wh_copy(&action, (const void *)words[1], sizeof action);
        action.mask &= ~trap_signals();
        changed[1] = (uintptr_t)&action;
    }
    return os_call_words(SYS_rt_sigaction, changed);
}

/* The child of fork continues here, too. */
static long make_process(long number, const uint64_t *words) {
    uint64_t token = pager_lock();
    long result = os_call_words(number, words);
    if (result == 0) dispatch_arm();
    pager_unlock(token);
    return result;
}

static int makes_process(long number) {
    return number == SYS_fork || number == SYS_clone || number == SYS_clone3;
}

/* The kernel reads the thread's robust mutexes after its end, so no block may be packed then. */
static void end_thread(void) {
    const uintptr_t *head = NULL;
    size_t size;
    if (os_call(SYS_get_robust_list, 0, (long)&head, (long)&size, 0, 0, 0) == 0 && head &&
        *head != (uintptr_t)head)
        pager_stop();
}

/* A call fails with EFAULT if a structure of unknown layout leads to a closed block. Then the call
 * is repeated with all blocks open. */
static long call(long number, const uint64_t *words) {
    struct hold hold;
    if (ready_ends_by(number, words)) pager_stop();
    if (number == SYS_exit) end_thread();
    hold_call(&hold, number, words);
    long result = makes_process(number)        ? make_process(number, words)
                  : number == SYS_rt_sigaction ? make_action(words)
                                               : make_masked(number, words);
    if (result == -EFAULT && !hold.everything && options_may_be_closed())
        result = make_open(number, words);
    hold_release(&hold);
    return result;
}

/* ---- calls about the frame ---- */

static long change_mask(ucontext_t *machine, const uint64_t *words) {
    struct hold hold = {.count = 0};
    uint64_t *mask = (uint64_t *)(void *)&machine->uc_sigmask, before = *mask, set = 0;
    hold_address(&hold, words[1]);
    hold_address(&hold, words[2]);
    int how = (int)words[0];
    long result = words[3] != sizeof set ? -EINVAL : 0;
    if (!result && words[1] && !os_readable(words[1])) result = -EFAULT;
    if (!result && words[1]) {
        set = *(const wh_word *)words[1];
        if (how == SIG_BLOCK)
            *mask = before | set;
        else if (how == SIG_UNBLOCK)
            *mask = before & ~set;
        else if (how == SIG_SETMASK)
            *mask = set;
        else
            result = -EINVAL;
        *mask &= ~trap_signals();
    }
    if (!result && words[2]) {
        if (os_readable(words[2]))
            *(wh_word *)words[2] = before;
        else
            result = -EFAULT;
    }
    hold_release(&hold);
    return result;
}

/* Keeps a block that contains an alternate stack open: the kernel writes to it for each signal. */
static void keep_open(uintptr_t address) {
    struct block place = block_at(address);
    if (heap_contains(address) && place.slot && guard_is_paged(place)) trap_open(place);
}

static long change_stack(ucontext_t *machine, const uint64_t *words) {
    struct hold hold = {.count = 0};
    hold_address(&hold, words[0]);
    hold_address(&hold, words[1]);
    const stack_t *set = (const stack_t *)words[0];
    stack_t *old = (stack_t *)words[1];
    int readable = (!set || os_readable(words[0])) && (!old || os_readable(words[1]));
    long result = readable ? catching_stack(machine, set, old) : -EFAULT;
    if (!result && set && !(machine->uc_stack.ss_flags & SS_DISABLE))
        keep_open((uintptr_t)machine->uc_stack.ss_sp);
    hold_release(&hold);
    return result;
}

/* A handler of the program returns; its signal frame is at the stack pointer of the call. */
static _Noreturn void return_from(const ucontext_t *machine) {
    uint64_t sp = (uint64_t)machine->uc_mcontext.gregs[REG_RSP];
    ucontext_t *frame = (ucontext_t *)sp;
    *(wh_word *)(void *)&frame->uc_sigmask &= ~trap_signals();
    __asm__ volatile("mov %0, %%rsp\n"
                     "mov $15, %%eax\n"
                     "syscall\n"
                     :
                     : "r"(sp)
                     : "memory");
    __builtin_unreachable();
}

/* ---- processes and threads ---- */

#define SYSCALL_LENGTH 2
#define SITES 8u
#define SITE_LENGTH 8u

/* The places of the program that calls return to. Each has a site with the address built in,
 * because no register is free to pass it and a new thread has no memory of its own yet. */
uintptr_t whence_call_returns[SITES] __attribute__((visibility("hidden")));
extern const char whence_call_sites[] __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".balign 8\n"
        ".hidden whence_call_sites\n"
        "whence_call_sites:\n"
        ".set whence_site, 0\n"
        ".rept 8\n"
        "    syscall\n"
        "    jmp *whence_call_returns+whence_site(%rip)\n"
        "    .set whence_site, whence_site + 8\n"
        ".endr\n");

/* 0: all sites are taken. */
static uintptr_t site_for(uintptr_t place) {
    for (unsigned i = 0; i < SITES; i++) {
        uintptr_t known = 0;
        __atomic_compare_exchange_n(&whence_call_returns[i], &known, place, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE);
        if (!known || known == place) return (uintptr_t)whence_call_sites + i * SITE_LENGTH;
    }
    return 0;
}

/* The child of a call: shares this memory; has a stack of its own; is about to execute. */
struct child {
    int shares, moves, executes;
};

#define CLONE3_STACK (5 * sizeof(uint64_t)) /* in struct clone_args */

static struct child child_of(long number, const uint64_t *words) {
    uint64_t flags = 0, stack = 0;
    if (number == SYS_vfork) flags = CLONE_VM | CLONE_VFORK;
    if (number == SYS_clone) flags = words[0], stack = words[1];
    if (number == SYS_clone3 && os_readable(words[0]) && os_readable(words[0] + CLONE3_STACK)) {
        flags = *(const wh_word *)words[0];
        stack = *(const wh_word *)(words[0] + CLONE3_STACK);
    }
    int shares = (flags & CLONE_VM) != 0;
    return (struct child){shares, stack != 0, (flags & CLONE_VFORK) || (!shares && stack)};
}

static __thread int left_open __attribute__((tls_model("initial-exec")));
static __thread int expected __attribute__((tls_model("initial-exec")));

void dispatch_expect_thread(int is_expected) { expected = is_expected; }

/* Lets the program repeat the call itself, from a site. */
static void let_through(ucontext_t *machine, long number, struct child child) {
    greg_t *registers = machine->uc_mcontext.gregs;
    uintptr_t site = site_for((uintptr_t)registers[REG_RIP]);
    if (child.shares && !child.executes && !expected) pager_stop();
    if ((child.executes || !site) && !left_open) {
        options_open_all();
        left_open = 1;
    }
    if (!site) selector = CATCHING_LET_THROUGH;
    registers[REG_RAX] = number;
    registers[REG_RIP] = site ? (greg_t)site : registers[REG_RIP] - SYSCALL_LENGTH;
}

/* A SIGSYS of another origin: calls the program's handler, or ends the process. */
static void hand_on(int number, siginfo_t *info, void *context) {
    if (signals_hand_on(number, info, context)) return;
    trap_leave(number);
}

static void on_call(int signal_number, siginfo_t *info, void *context) {
    ucontext_t *machine = context;
    greg_t *registers = machine->uc_mcontext.gregs;
    if (info->si_code != CATCHING_CODE) {
        hand_on(signal_number, info, context);
        return;
    }
    dispatch_resume();
    long number = (long)registers[REG_RAX];
    uint64_t words[] = {(uint64_t)registers[REG_RDI], (uint64_t)registers[REG_RSI],
                        (uint64_t)registers[REG_RDX], (uint64_t)registers[REG_R10],
                        (uint64_t)registers[REG_R8],  (uint64_t)registers[REG_R9]};
    if (number == SYS_rt_sigreturn) return_from(machine);
    struct child child = child_of(number, words);
    if (child.shares || child.moves) {
        let_through(machine, number, child);
        return;
    }
    long result = number == SYS_rt_sigprocmask ? change_mask(machine, words)
                  : number == SYS_sigaltstack  ? change_stack(machine, words)
                                               : call(number, words);
    registers[REG_RAX] = result;
}

/* ---- beginning ---- */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

void dispatch_arm(void) {
    if (!available) return;
    selector = CATCHING_LET_THROUGH;
    armed = catching_calls(__ehdr_start, etext, &selector) >= 0;
    if (armed) selector = CATCHING_CATCH;
}

/* Does nothing in a child of vfork, which runs in this memory. */
void dispatch_resume(void) {
    if (WH_LIKELY(!left_open) || os_thread() != thread_self.tid) return;
    left_open = 0;
    options_close_all();
    if (armed) selector = CATCHING_CATCH;
}

int dispatch_leaves_open(void) { return left_open; }

int dispatch_is_on(void) { return available; }

int dispatch_begin(void) {
    trap_install(SIGSYS, on_call);
    available = 1;
    dispatch_arm();
    return available = armed;
}
