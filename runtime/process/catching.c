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

/* The kernel looks at the address behind a call. */
__asm__(".text\n"
        ".globl whence_signal_return, whence_signal_return_end\n"
        ".hidden whence_signal_return\n"
        ".hidden whence_signal_return_end\n"
        ".type whence_signal_return, @function\n"
        "    nop\n"
        "whence_signal_return:\n"
        "    movq $15, %rax\n" /* the form that unwinders know */
        "    syscall\n"
        "    nop\n"
        "whence_signal_return_end:\n"
        ".size whence_signal_return, .-whence_signal_return\n");

long catching_set(int number, const struct catching_action *set, struct catching_action *old) {
    return os_call(SYS_rt_sigaction, number, (long)set, (long)old, sizeof set->mask, 0, 0);
}

struct catching_action catching_action_of(void (*handler)(int, siginfo_t *, void *)) {
    return (struct catching_action){
        .handler = handler,
        .flags = (handler ? SA_SIGINFO | SA_ONSTACK | SA_NODEFER : 0) | RESTORER,
        .restorer = (void (*)(void))(uintptr_t)whence_signal_return,
    };
}

long catching_calls(const char *begin, const char *end, volatile char *selector) {
    if (!selector)
        return os_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_OFF, 0, 0, 0, 0);
    return os_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_ON, (long)begin,
                   (long)(end - begin), (long)selector, 0);
}
