#include "dispatch.h"
#include "../os/mem.h"
#include "../rt/thread.h"
#include "options.h"
#include "trap.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define DISPATCH_ON 1
#define LET_THROUGH 0
#define CATCH 1
#define CODE_DISPATCH 2 /* SYS_USER_DISPATCH */

static __thread volatile char selector __attribute__((tls_model("initial-exec")));
static __thread int armed __attribute__((tls_model("initial-exec")));
static int available, all_open;

/* ---- blocks for the kernel ---- */

#define BLOCKS_MOST 64u

struct hold {
    struct block_place places[BLOCKS_MOST];
    unsigned count;
};

static void hold_block(struct hold *hold, uintptr_t address) {
    if (!heap_contains(address) || hold->count == BLOCKS_MOST) return;
    struct block_place place = blocks_holding(address);
    if (!place.index || !guard_is_paged(place) || !trap_open(place)) return;
    trap_filled(place);
    hold->places[hold->count++] = place;
}

static void release(struct hold *hold) {
    while (hold->count) trap_close(hold->places[--hold->count]);
}

static void hold_vector(struct hold *hold, uintptr_t vector, uint64_t count) {
    for (uint64_t i = 0; i < count && i < BLOCKS_MOST && os_readable(vector + i * sizeof(struct iovec));
         i++)
        hold_block(hold, (uintptr_t)((const struct iovec *)vector)[i].iov_base);
}

static void hold_message(struct hold *hold, uintptr_t at) {
    if (!os_readable(at)) return;
    const struct msghdr *message = (const struct msghdr *)at;
    hold_block(hold, (uintptr_t)message->msg_name);
    hold_block(hold, (uintptr_t)message->msg_control);
    hold_block(hold, (uintptr_t)message->msg_iov);
    hold_vector(hold, (uintptr_t)message->msg_iov, message->msg_iovlen);
}

/* What arguments of some calls point to in turn. */
static void hold_nested(struct hold *hold, long number, const uint64_t *words) {
    switch (number) {
    case SYS_readv: case SYS_writev: case SYS_preadv: case SYS_pwritev: case SYS_preadv2:
    case SYS_pwritev2: case SYS_vmsplice:
        hold_vector(hold, words[1], words[2]);
        break;
    case SYS_process_vm_readv: case SYS_process_vm_writev:
        hold_vector(hold, words[1], words[2]);
        break;
    case SYS_sendmsg: case SYS_recvmsg:
        hold_message(hold, words[1]);
        break;
    case SYS_sendmmsg: case SYS_recvmmsg:
        for (uint64_t i = 0; i < words[2] && i < BLOCKS_MOST; i++)
            hold_message(hold, words[1] + i * sizeof(struct mmsghdr));
        break;
    default: break;
    }
}

/* ---- calls ---- */

static long make(long number, const uint64_t *words) {
    return os_call(number, (long)words[0], (long)words[1], (long)words[2], (long)words[3],
                   (long)words[4], (long)words[5]);
}

static void open_all(int open) {
    __atomic_store_n(&all_open, open, __ATOMIC_RELEASE);
    if (open)
        options_open_all();
    else
        options_close_all();
}

/* A structure that holds pointers we know nothing of: everything is opened, and the call made again. */
static long call(long number, const uint64_t *words) {
    struct hold hold = {.count = 0};
    for (int i = 0; i < 6; i++) hold_block(&hold, words[i]);
    hold_nested(&hold, number, words);
    int executes = number == SYS_execve || number == SYS_execveat;
    if (executes) open_all(1);
    long result = make(number, words);
    if (executes) open_all(0);
    if (result == -EFAULT && !executes) {
        open_all(1);
        result = make(number, words);
        open_all(0);
    }
    release(&hold);
    return result;
}

/* ---- calls about the frame ---- */

static long change_mask(ucontext_t *machine, const uint64_t *words) {
    struct hold hold = {.count = 0};
    uint64_t *mask = (uint64_t *)(void *)&machine->uc_sigmask, before = *mask, set = 0;
    hold_block(&hold, words[1]);
    hold_block(&hold, words[2]);
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
    release(&hold);
    return result;
}

/* A stack in a block stays open: the kernel writes to it when a signal comes. */
static void keep_open(uintptr_t address) {
    struct block_place place = blocks_holding(address);
    if (heap_contains(address) && place.index && guard_is_paged(place)) trap_open(place);
}

static long change_stack(ucontext_t *machine, const uint64_t *words) {
    struct hold hold = {.count = 0};
    hold_block(&hold, words[0]);
    hold_block(&hold, words[1]);
    stack_t before = machine->uc_stack;
    long result = 0;
    if (words[0] && !os_readable(words[0])) result = -EFAULT;
    if (!result && words[0]) {
        const stack_t *wanted = (const stack_t *)words[0];
        int off = (wanted->ss_flags & SS_DISABLE) != 0;
        if (!off && wanted->ss_size < (size_t)MINSIGSTKSZ) result = -ENOMEM;
        if (!result) machine->uc_stack = *wanted;
        if (!result && !off) keep_open((uintptr_t)wanted->ss_sp);
    }
    if (!result && words[1]) *(stack_t *)words[1] = before;
    release(&hold);
    return result;
}

/* The program's own handler has ended: its frame lies where the call was made. */
static _Noreturn void return_from(const ucontext_t *machine) {
    uint64_t sp = (uint64_t)machine->uc_mcontext.gregs[REG_RSP];
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

static int shares_memory(long number, const uint64_t *words, uint64_t *flags) {
    *flags = 0;
    if (number == SYS_vfork) *flags = CLONE_VM | CLONE_VFORK;
    if (number == SYS_clone) *flags = words[0];
    if (number == SYS_clone3 && os_readable(words[0])) *flags = *(const wh_word *)words[0];
    return (*flags & CLONE_VM) != 0;
}

/* The call is made again by the program itself, which is not caught until it allocates. */
static void let_through(ucontext_t *machine, long number, uint64_t flags) {
    if (flags & CLONE_VFORK) open_all(1);
    selector = LET_THROUGH;
    machine->uc_mcontext.gregs[REG_RAX] = number;
    machine->uc_mcontext.gregs[REG_RIP] -= SYSCALL_LENGTH;
}

static void on_call(int signal_number, siginfo_t *info, void *context) {
    ucontext_t *machine = context;
    greg_t *registers = machine->uc_mcontext.gregs;
    (void)signal_number;
    if (info->si_code != CODE_DISPATCH) return;
    long number = (long)registers[REG_RAX];
    uint64_t flags, words[] = {
        (uint64_t)registers[REG_RDI], (uint64_t)registers[REG_RSI], (uint64_t)registers[REG_RDX],
        (uint64_t)registers[REG_R10], (uint64_t)registers[REG_R8],  (uint64_t)registers[REG_R9]};
    if (number == SYS_rt_sigreturn) return_from(machine);
    if (shares_memory(number, words, &flags)) {
        let_through(machine, number, flags);
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
    uintptr_t begin = (uintptr_t)__ehdr_start;
    selector = LET_THROUGH;
    armed = os_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_ON, (long)begin,
                    (long)((uintptr_t)etext - begin), (long)&selector, 0) >= 0;
    if (armed) selector = CATCH;
}

void dispatch_resume(void) {
    if (WH_LIKELY(!armed || selector == CATCH)) return;
    if (__atomic_load_n(&all_open, __ATOMIC_ACQUIRE)) open_all(0);
    selector = CATCH;
}

void dispatch_init(void) {
    static int said;
    trap_install(SIGSYS, on_call);
    available = 1;
    dispatch_arm();
    if (armed) return;
    available = 0;
    rt_note(&said, "this kernel has no syscall user dispatch (Linux 5.11): system calls fail with EFAULT "
                   "on guarded blocks; use --guard top or bottom");
}
