/* Handlers of signals that return through the runtime's own code, and system calls that the kernel
 * hands over as SIGSYS (syscall user dispatch, since Linux 5.11). */
#ifndef WHENCE_PROCESS_CATCHING_H
#define WHENCE_PROCESS_CATCHING_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define SIGNAL_BIT(number) (1ull << ((number) - 1))

/* The structure of the system call rt_sigaction. */
struct catching_action {
    void (*handler)(int, siginfo_t *, void *);
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* The system call itself: 0 or -errno. */
long catching_set(int number, const struct catching_action *set, struct catching_action *old);
/* The action of a handler on the stack of signals that signals may interrupt, also its own; NULL:
 * the default action. */
struct catching_action catching_action_of(void (*handler)(int, siginfo_t *, void *));

/* The code through which these handlers return: calls from there are never handed over if it is in
 * the range below. */
extern const char whence_sigaction_return[] __attribute__((visibility("hidden")));
extern const char whence_sigaction_return_end[] __attribute__((visibility("hidden")));

/* In a handler, the system call sigaltstack as the code would make it that the signal interrupted:
 * 0 or -errno. Until the handler returns no signal interrupts it but those of its own faults.
 *
 * Setting uc_stack alone is not enough. Since Linux 6.12 a handler's return sets the stack before
 * it leaves the handler's, and a stack in use cannot be changed. */
long catching_stack(ucontext_t *machine, const stack_t *set, stack_t *old);

/* What a selector says, and the code of the signal. */
enum { CATCHING_LET_THROUGH, CATCHING_CATCH, CATCHING_CODE };
/* From here on the kernel hands over the calls of this thread while *selector says so, but for
 * those from a range of code. Selector NULL: never again. 0 or -errno. */
long catching_calls(const char *begin, const char *end, volatile char *selector);

#endif
