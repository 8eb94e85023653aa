#include "catching.h"
#include "../os/os.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define DISPATCH_OFF 0
#define DISPATCH_ON 1
#define RESTORER 0x04000000u

_Static_assert(CATCHING_CODE == 2, "SYS_USER_DISPATCH");

/* The kernel looks at the address behind a call. gdb takes code for that of a signal's frame only
 * if the name has "sigaction" in it. */
__asm__(".text\n"
        ".globl whence_sigaction_return, whence_sigaction_return_end\n"
        ".hidden whence_sigaction_return\n"
        ".hidden whence_sigaction_return_end\n"
        ".type whence_sigaction_return, @function\n"
        "    nop\n"
        "whence_sigaction_return:\n"
        "    movq $15, %rax\n" /* the form that unwinders know */
        "    syscall\n"
        "    nop\n"
        "whence_sigaction_return_end:\n"
        ".size whence_sigaction_return, .-whence_sigaction_return\n");

long catching_set(int number, const struct catching_action *set, struct catching_action *old) {
    return os_call(SYS_rt_sigaction, number, (long)set, (long)old, sizeof set->mask, 0, 0);
}

struct catching_action catching_action_of(void (*handler)(int, siginfo_t *, void *)) {
    return (struct catching_action){
        .handler = handler,
        .flags = (handler ? SA_SIGINFO | SA_ONSTACK | SA_NODEFER : 0) | RESTORER,
        .restorer = (void (*)(void))(uintptr_t)whence_sigaction_return,
    };
}

long catching_calls(const char *begin, const char *end, volatile char *selector) {
    if (!selector)
        return os_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_OFF, 0, 0, 0, 0);
    return os_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_ON, (long)begin,
                   (long)(end - begin), (long)selector, 0);
}

/* ---- the stack of signals ---- */

#define AUTODISARM ((int)(1u << 31))
#define OWN_FAULTS                                                                                 \
    (SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGSYS) | SIGNAL_BIT(SIGTRAP) |         \
     SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGFPE))

/* Makes the call with the stack pointer of the interrupted code. Nothing is stored there, but a
 * signal would overwrite the handler's frame: all are blocked. */
static long stack_call(const ucontext_t *machine, const stack_t *set, stack_t *old) {
    uint64_t sp = (uint64_t)machine->uc_mcontext.gregs[REG_RSP], before;
    long result = SYS_sigaltstack;
    __asm__ volatile("mov %%rsp, %[before]\n"
                     "mov %[sp], %%rsp\n"
                     "syscall\n"
                     "mov %[before], %%rsp\n"
                     : [before] "=&r"(before), "+a"(result)
                     : [sp] "r"(sp), "D"(set), "S"(old)
                     : "rcx", "r11", "memory");
    return result;
}

long catching_stack(ucontext_t *machine, const stack_t *set, stack_t *old) {
    stack_t told;
    uint64_t mask = 0;
    os_block_signals(~(uint64_t)0, &mask);
    if (machine->uc_stack.ss_flags & AUTODISARM) stack_call(machine, &machine->uc_stack, NULL);
    long result = stack_call(machine, NULL, &told);
    if (!result && set) result = stack_call(machine, set, NULL);
    if (!result && set) machine->uc_stack = *set;
    os_restore_signals(~OWN_FAULTS | mask);
    if (!result && old) *old = told;
    return result;
}
