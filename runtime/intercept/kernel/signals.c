/* signal.h: masks, and waiting for signals. Of a set, the words that the kernel knows are checked.
 */
#include <stdarg.h>
#include "../../rt/signal_stacks.h"
#include "../check.h"

#include <signal.h>
#include <sys/signalfd.h>

/* The set to block: without the signals by which a tool stops the program, and leak searches stop
 * its threads. */
static const sigset_t *open_set(int how, const sigset_t *set, sigset_t *changed) {
    if (!PORT_OBSERVED || how == SIG_UNBLOCK || !set || !is_there(set, SET_SIZE)) return set;
    sigemptyset(changed);
    wh_copy(changed, set, SET_SIZE);
    sigdelset(changed, SIGSEGV);
    sigdelset(changed, SIGRTMAX - PORT_OBSERVED);
    return changed;
}

#define MASK(name)                                                                                 \
    WRAP(int, name, (int how, const sigset_t *set, sigset_t *old)) {                               \
        sigset_t changed;                                                                          \
        USE_IF(set, SET_SIZE);                                                                     \
        WRITE_IF(old, SET_SIZE);                                                                   \
        return NEXT(name)(how, open_set(how, set, &changed), old);                                 \
    }

MASK(sigprocmask)
MASK(pthread_sigmask)

WRAP(int, sigpending, (sigset_t * set)) {
    WRITE(set, SET_SIZE);
    return NEXT(sigpending)(set);
}

WRAP(int, sigsuspend, (const sigset_t *set)) {
    USE(set, SET_SIZE);
    return NEXT(sigsuspend)(set);
}

/* The kernel had the stack `before` and has `given` now, if that is not NULL. */
static void changed_stack(const stack_t *given, const stack_t *before, stack_t *old) {
    stack_t told = *before;
    signal_stacks_told(&told);
    if (given && before->ss_sp != given->ss_sp) signal_stacks_left(before);
    if (old) *old = told;
}

/* The kernel gets a larger stack where the program's is small, and the program is told its own. */
WRAP(int, sigaltstack, (const stack_t *stack, stack_t *old)) {
    READ_IF(stack, sizeof *stack);
    WRITE_IF(old, sizeof *old);
    if (stack && is_there(stack, sizeof *stack)) {
        check_used(SITE, &stack->ss_flags, sizeof stack->ss_flags);
        if (!(stack->ss_flags & SS_DISABLE)) {
            check_used(SITE, &stack->ss_sp, sizeof stack->ss_sp);
            check_used(SITE, &stack->ss_size, sizeof stack->ss_size);
        }
    }
    int is_whole =
        (!stack || is_there(stack, sizeof *stack)) && (!old || is_there(old, sizeof *old));
    if (!PORT_PLANES || !is_whole) return NEXT(sigaltstack)(stack, old);
    stack_t given, before;
    if (stack) given = signal_stacks_given(stack);
    int result = NEXT(sigaltstack)(stack ? &given : NULL, &before);
    if (!result) changed_stack(stack ? &given : NULL, &before, old);
    return result;
}

WRAP(int, sigwait, (const sigset_t *set, int *signal)) {
    USE(set, SET_SIZE);
    WRITE(signal, sizeof *signal);
    return NEXT(sigwait)(set, signal);
}

WRAP(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info)) {
    USE(set, SET_SIZE);
    WRITE_IF(info, sizeof *info);
    return NEXT(sigwaitinfo)(set, info);
}

WRAP(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *wait)) {
    USE(set, SET_SIZE);
    WRITE_IF(info, sizeof *info);
    USE_IF(wait, sizeof *wait);
    return NEXT(sigtimedwait)(set, info, wait);
}

WRAP(int, signalfd, (int file, const sigset_t *set, int flags)) {
    USE(set, SET_SIZE);
    return OPENED((int)USED(file, NEXT(signalfd)(file, set, flags)));
}
