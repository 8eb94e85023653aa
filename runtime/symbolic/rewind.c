/* The kernel hands over each system call of a path (syscall user dispatch) as a signal, SIGSYS. Its
 * handler makes it if it can be undone (undo.c). The end of the process is one of these calls:
 * there memory goes back (snapshot.c), and the registers become those of the mark. Where a call
 * cannot be undone, or a signal comes that the path itself may handle, all is left as if nothing
 * had been watched, and the path ends with its process. */
#include "rewind.h"
#include "processor.h"
#include "snapshot.h"
#include "standing.h"
#include "undo.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/catching.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

int rewind_reserve(void) {
    return os_reserve(WH_SYMBOLIC_REWIND_BASE, WH_SYMBOLIC_REWIND_SIZE, OS_READ_WRITE) == 0;
}

#define SYSCALL_LENGTH 2
/* No system call. */
#define MARK 0x77686e

/* selector: whether calls are caught. The rest of the registers is of the mark. */
struct rewind {
    volatile char selector;
    int on, status;
    greg_t registers[NGREG];
    uint16_t x87_control;
    uint32_t vector_control;
    uint64_t mask;
    struct catching_action fault, call; /* before */
    stack_t stack;                      /* before */
};

static struct rewind *own(void) { return STANDING(STANDING_REWIND); }

_Static_assert(STANDING_REWIND + sizeof(struct rewind) <= STANDING_PROCESSOR, "room");

extern long whence_rewind_call(long number) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".hidden whence_rewind_call\n"
        ".type whence_rewind_call, @function\n"
        "whence_rewind_call:\n"
        "    movq %rdi, %rax\n"
        "    syscall\n"
        "    ret\n"
        ".size whence_rewind_call, .-whence_rewind_call\n");

/* From here on nothing is watched. */
static void leave(ucontext_t *machine) {
    struct rewind *rewind = own();
    rewind->on = 0;
    processor_free();
    catching_calls(NULL, NULL, NULL);
    catching_set(SIGSEGV, &rewind->fault, NULL);
    catching_set(SIGSYS, &rewind->call, NULL);
    catching_stack(machine, &rewind->stack, NULL);
    snapshot_leave();
}

static void on_fault(int number, siginfo_t *info, void *context) {
    (void)number;
    struct rewind *rewind = own();
    char before = rewind->selector;
    rewind->selector = CATCHING_LET_THROUGH;
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

static int on_end(struct rewind *rewind, ucontext_t *machine) {
    if (!undo_all()) return 0;
    rewind->status = (int)machine->uc_mcontext.gregs[REG_RDI];
    snapshot_restore();
    set_registers(rewind, machine);
    return 1;
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

/* A call of a path; 0: it is to be made after all has been left. */
static int on_call_of_path(struct rewind *rewind, ucontext_t *machine) {
    greg_t *registers = machine->uc_mcontext.gregs;
    long call = (int)registers[REG_RAX], result;
    uint64_t words[6] = {(uint64_t)registers[REG_RDI], (uint64_t)registers[REG_RSI],
                         (uint64_t)registers[REG_RDX], (uint64_t)registers[REG_R10],
                         (uint64_t)registers[REG_R8],  (uint64_t)registers[REG_R9]};
    uint64_t mask;
    if (call == SYS_exit_group) return on_end(rewind, machine);
    wh_copy(&mask, &machine->uc_sigmask, sizeof mask);
    int made = call == SYS_sigaltstack ? tell_stack(rewind, words, &result)
                                       : undo_call(call, words, &mask, &result);
    if (!made) return 0;
    wh_copy(&machine->uc_sigmask, &mask, sizeof mask);
    registers[REG_RAX] = result;
    rewind->selector = CATCHING_CATCH;
    return 1;
}

static void on_call(int number, siginfo_t *info, void *context) {
    (void)number;
    struct rewind *rewind = own();
    ucontext_t *machine = context;
    greg_t *registers = machine->uc_mcontext.gregs;
    rewind->selector = CATCHING_LET_THROUGH;
    if (info->si_code != CATCHING_CODE) {
        leave(machine);
    } else if (!rewind->on && registers[REG_RAX] == MARK) {
        on_mark(rewind, machine);
    } else if (!on_call_of_path(rewind, machine)) {
        leave(machine);
        registers[REG_RIP] -= SYSCALL_LENGTH;
    }
}

/* ---- the process ---- */

static int catch_calls(void) {
    return catching_calls(whence_sigaction_return, whence_sigaction_return_end, &own()->selector) ==
           0;
}

/* Prepares a process of one thread. */
static int prepare(int *socket) {
    struct rewind *rewind = own();
    wh_fill(rewind, 0, sizeof *rewind);
    if (os_has_threads()) return 0;
    int kept = undo_prepare() ? undo_keep(*socket) : -1;
    if (kept < 0 || !snapshot_find() || !catch_calls()) {
        undo_forget();
        return 0;
    }
    *socket = kept;
    stack_t stack = {.ss_sp = STANDING(STANDING_STACK),
                     .ss_size = STANDING_ROOM(STANDING_STACK, STANDING_STACK_END)};
    struct catching_action fault = catching_action_of(on_fault), call = catching_action_of(on_call);
    os_call(SYS_sigaltstack, (long)&stack, (long)&rewind->stack, 0, 0, 0, 0);
    catching_set(SIGSEGV, &fault, &rewind->fault);
    catching_set(SIGSYS, &call, &rewind->call);
    return 1;
}

/* Also the frames through which it returns are in the memory that goes back. */
int rewind_mark(int *socket) {
    int before = *socket;
    if (!prepare(socket)) return -1;
    own()->selector = CATCHING_CATCH;
    int again = (int)whence_rewind_call(MARK);
    if (again < 0) undo_forget(), *socket = before;
    if (again == 0) os_close(before);
    return again;
}

void rewind_begin(void) {
    struct rewind *rewind = own();
    if (rewind->on) rewind->selector = CATCHING_CATCH;
}

int rewind_pause(void) {
    struct rewind *rewind = own();
    if (!rewind->on || rewind->selector != CATCHING_CATCH) return 0;
    rewind->selector = CATCHING_LET_THROUGH;
    return 1;
}

void rewind_resume(int paused) {
    if (paused) own()->selector = CATCHING_CATCH;
}

int rewind_status(void) { return own()->status; }
