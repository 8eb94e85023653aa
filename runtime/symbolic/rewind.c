/* The kernel hands over each system call of a path (syscall user dispatch) as a signal, SIGSYS. Its
 * handler makes it if it can be undone (undo.c). The end of the process is one of these calls:
 * there memory goes back (snapshot.c), and the registers become those of the mark. Where a call
 * cannot be undone, or a signal comes that the path itself may handle, all is left as if nothing
 * had been watched, and the path ends with its process. */
#include "rewind.h"
#include "snapshot.h"
#include "standing.h"
#include "undo.h"
#include "../os/mem.h"
#include "../os/os.h"

#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

int rewind_reserve(void) {
    return os_reserve(WH_SYMBOLIC_REWIND_BASE, WH_SYMBOLIC_REWIND_SIZE, OS_READ_WRITE) == 0;
}

#ifdef __x86_64__

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define DISPATCH_ON 1
#define DISPATCH_OFF 0
#define LET_THROUGH 0
#define CATCH 1
#define CODE_DISPATCH 2 /* SYS_USER_DISPATCH */
#define SYSCALL_LENGTH 2
#define RESTORER 0x04000000u
/* No system call. */
#define MARK 0x77686e

struct kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* selector: whether calls are caught. The rest of the registers is of the mark. */
struct rewind {
    volatile char selector;
    int on, status;
    greg_t registers[NGREG];
    uint16_t x87_control;
    uint32_t vector_control;
    uint64_t mask;
    struct kernel_action fault, call; /* before */
    stack_t stack;                    /* before */
};

static struct rewind *own(void) { return STANDING(STANDING_REWIND); }

_Static_assert(STANDING_REWIND + sizeof(struct rewind) <= STANDING_UNDO, "room");

extern const char whence_rewind_code[] __attribute__((visibility("hidden")));
extern const char whence_rewind_code_end[] __attribute__((visibility("hidden")));
extern void whence_rewind_return(void) __attribute__((visibility("hidden")));
extern long whence_rewind_call(long number) __attribute__((visibility("hidden")));
/* What follows the first label returns from handlers while calls are caught. */
__asm__(".text\n"
        ".hidden whence_rewind_code\n"
        ".hidden whence_rewind_code_end\n"
        ".hidden whence_rewind_return\n"
        ".type whence_rewind_return, @function\n"
        "whence_rewind_code:\n"
        "    nop\n"
        "whence_rewind_return:\n"
        "    movq $15, %rax\n" /* the form that unwinders know */
        "    syscall\n"
        "    nop\n"
        "whence_rewind_code_end:\n"
        ".size whence_rewind_return, .-whence_rewind_return\n"
        ".hidden whence_rewind_call\n"
        ".type whence_rewind_call, @function\n"
        "whence_rewind_call:\n"
        "    movq %rdi, %rax\n"
        "    syscall\n"
        "    ret\n"
        ".size whence_rewind_call, .-whence_rewind_call\n");

static long set_handler(int number, const struct kernel_action *set, struct kernel_action *old) {
    return os_call(SYS_rt_sigaction, number, (long)set, (long)old, sizeof set->mask, 0, 0);
}

static long dispatch(int how) {
    uintptr_t begin = how ? (uintptr_t)whence_rewind_code : 0;
    size_t size = how ? (size_t)(whence_rewind_code_end - whence_rewind_code) : 0;
    return os_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, how, (long)begin, (long)size,
                   how ? (long)&own()->selector : 0, 0);
}

/* From here on nothing is watched. The handler's return sets the stack of signals. */
static void leave(ucontext_t *machine) {
    struct rewind *rewind = own();
    rewind->on = 0;
    dispatch(DISPATCH_OFF);
    set_handler(SIGSEGV, &rewind->fault, NULL);
    set_handler(SIGSYS, &rewind->call, NULL);
    machine->uc_stack = rewind->stack;
    snapshot_leave();
}

static void on_fault(int number, siginfo_t *info, void *context) {
    (void)number;
    struct rewind *rewind = own();
    char before = rewind->selector;
    rewind->selector = LET_THROUGH;
    int opened = info->si_code == SEGV_ACCERR && snapshot_open((uintptr_t)info->si_addr);
    if (!opened) leave(context); /* the instruction runs again, and whoever handles it is called */
    rewind->selector = before;
}

/* ---- calls ---- */

static void keep_registers(struct rewind *rewind, const ucontext_t *machine) {
    wh_copy(rewind->registers, machine->uc_mcontext.gregs, sizeof rewind->registers);
    rewind->x87_control = machine->uc_mcontext.fpregs->cwd;
    rewind->vector_control = machine->uc_mcontext.fpregs->mxcsr;
    wh_copy(&rewind->mask, &machine->uc_sigmask, sizeof rewind->mask);
}

static void set_registers(const struct rewind *rewind, ucontext_t *machine) {
    wh_copy(machine->uc_mcontext.gregs, rewind->registers, sizeof rewind->registers);
    machine->uc_mcontext.fpregs->cwd = rewind->x87_control;
    machine->uc_mcontext.fpregs->mxcsr = rewind->vector_control;
    wh_copy(&machine->uc_sigmask, &rewind->mask, sizeof rewind->mask);
    machine->uc_mcontext.gregs[REG_RAX] = 1;
}

static void on_mark(struct rewind *rewind, ucontext_t *machine) {
    greg_t *registers = machine->uc_mcontext.gregs;
    keep_registers(rewind, machine);
    rewind->on = snapshot_take((uintptr_t)registers[REG_RSP]);
    registers[REG_RAX] = rewind->on ? 0 : -1;
    if (!rewind->on) leave(machine);
}

static void on_end(struct rewind *rewind, ucontext_t *machine) {
    rewind->status = (int)machine->uc_mcontext.gregs[REG_RDI];
    undo_all();
    snapshot_restore();
    set_registers(rewind, machine);
}

/* A path is given the stack of signals that there was before. */
static int tell_stack(const struct rewind *rewind, const uint64_t *words, long *result) {
    if (words[0] || !words[1] || !snapshot_open_range(words[1], sizeof(stack_t)) ||
        !os_writable(words[1]) || !os_writable(words[1] + sizeof(stack_t) - sizeof(uint64_t)))
        return 0;
    wh_copy((void *)(uintptr_t)words[1], &rewind->stack, sizeof rewind->stack);
    *result = 0;
    return 1;
}

static int can_undo(const struct rewind *rewind, long call, const uint64_t *words, uint64_t *mask,
                    long *result) {
    return call == SYS_sigaltstack ? tell_stack(rewind, words, result)
                                   : undo_call(call, words, mask, result);
}

static void on_call(int number, siginfo_t *info, void *context) {
    (void)number;
    struct rewind *rewind = own();
    ucontext_t *machine = context;
    greg_t *registers = machine->uc_mcontext.gregs;
    rewind->selector = LET_THROUGH;
    long call = (int)registers[REG_RAX];
    uint64_t words[6] = {(uint64_t)registers[REG_RDI], (uint64_t)registers[REG_RSI],
                         (uint64_t)registers[REG_RDX], (uint64_t)registers[REG_R10],
                         (uint64_t)registers[REG_R8],  (uint64_t)registers[REG_R9]};
    uint64_t mask;
    long result;
    if (info->si_code == CODE_DISPATCH && call == MARK && !rewind->on) {
        on_mark(rewind, machine);
        return;
    }
    if (info->si_code == CODE_DISPATCH && call == SYS_exit_group) {
        on_end(rewind, machine);
        return;
    }
    wh_copy(&mask, &machine->uc_sigmask, sizeof mask);
    if (info->si_code == CODE_DISPATCH && can_undo(rewind, call, words, &mask, &result)) {
        wh_copy(&machine->uc_sigmask, &mask, sizeof mask);
        registers[REG_RAX] = result;
        rewind->selector = CATCH;
        return;
    }
    leave(machine);
    if (info->si_code == CODE_DISPATCH) registers[REG_RIP] -= SYSCALL_LENGTH;
}

/* ---- the process ---- */

int rewind_prepare(int *socket) {
    struct rewind *rewind = own();
    wh_fill(rewind, 0, sizeof *rewind);
    stack_t stack = {.ss_sp = STANDING(STANDING_STACK),
                     .ss_size = STANDING_ROOM(STANDING_STACK, STANDING_STACK_END)};
    const struct kernel_action fault = {on_fault, SA_SIGINFO | SA_ONSTACK | SA_NODEFER | RESTORER,
                                        whence_rewind_return, 0};
    struct kernel_action call = fault;
    call.handler = on_call;
    if (os_has_threads()) return 0;
    int kept = undo_prepare() ? undo_keep(*socket) : -1;
    if (kept < 0 || !snapshot_find() || dispatch(DISPATCH_ON)) {
        undo_forget();
        return 0;
    }
    os_close(*socket);
    *socket = kept;
    os_call(SYS_sigaltstack, (long)&stack, (long)&rewind->stack, 0, 0, 0, 0);
    set_handler(SIGSEGV, &fault, &rewind->fault);
    set_handler(SIGSYS, &call, &rewind->call);
    return 1;
}

/* Also the frames through which it returns are in the memory that goes back. */
int rewind_mark(void) {
    own()->selector = CATCH;
    return (int)whence_rewind_call(MARK);
}

void rewind_begin(void) {
    struct rewind *rewind = own();
    if (rewind->on) rewind->selector = CATCH;
}

int rewind_status(void) { return own()->status; }

#else

int rewind_prepare(int *socket) {
    (void)socket;
    return 0;
}

int rewind_mark(void) { return -1; }

void rewind_begin(void) {}

int rewind_status(void) { return 0; }

#endif
