/* Signals that would kill the program are findings; a program that handles them
 * itself does not notice us. */
#include "signals.h"
#include "signal_stacks.h"
#include "../process/images.h"
#include "../settings/options.h"
#include "../leak/leak.h"
#include "event.h"
#include "fault.h"
#include "handlers.h"
#include "../os/os.h"
#include "../record/record.h"
#include "../port/port.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <ucontext.h>

int __sigaction(int, const struct sigaction *, struct sigaction *);

/* The first are findings. The others only end the program, and are watched in a process that waits
 * at its end until its findings have been reported. */
static const int watched[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE,  SIGABRT, SIGTRAP,
                              SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM};
#define FAULTS 6u
#define WATCHED (sizeof watched / sizeof *watched)
static unsigned watched_count = FAULTS;
#define SIGNAL_STACK (64ull << 10)

/* What the program has installed, as far as it knows. */
static struct sigaction believed[WATCHED];
static int installed;

/* Signals that closed blocks or the cage need: that they do is the runtime's own matter. */
static int is_needed(int number) {
    if (options.caged && number == SIGSYS) return 1;
    return number != SIGSEGV && number > 0 && number <= 64 && (port_signals() & SIGNAL_BIT(number));
}

static int index_of(int number) {
    if (is_needed(number)) return -1;
    for (unsigned i = 0; i < watched_count; i++)
        if (watched[i] == number)
            return i >= FAULTS && (int)options.leak_signal == number ? -1 : (int)i;
    return -1;
}

/* ---- the handler ---- */

/* Made by the processor or by the program itself, not sent by another process. */
static int is_own(const siginfo_t *info) {
    return info->si_code > 0 || (uint32_t)info->si_pid == os_process();
}

static int is_fault(int number, const siginfo_t *info) {
    return index_of(number) < (int)FAULTS && is_own(info);
}

/* Whether our handler stays where the program has one. */
static int is_kept(int number) { return (PORT_GUARDS || PORT_OBSERVED) && number == SIGSEGV; }

/* 0: the default action is wanted. */
static int handle_as(const struct sigaction *own, int number, siginfo_t *info, void *machine) {
    if (own->sa_flags & SA_SIGINFO)
        own->sa_sigaction(number, info, machine);
    else if (own->sa_handler == SIG_DFL)
        return 0;
    else if (own->sa_handler != SIG_IGN)
        own->sa_handler(number);
    return 1;
}

/* The program handles the signal itself: 1 if it has. What is wrong with a block is reported
 * before. */
static int hand_on(int number, siginfo_t *info, void *machine) {
    struct sigaction own = believed[index_of(number)];
    if (!(own.sa_flags & SA_SIGINFO) && own.sa_handler == SIG_DFL) return 0;
    int fault = number == SIGSEGV && info->si_code > 0 && blocks_govern((uintptr_t)info->si_addr);
    if (fault && !thread_self.in_finding) fault_report(number, info, machine);
    return handle_as(&own, number, info, machine);
}

static void on_signal(int number, siginfo_t *info, void *machine) {
    struct thread *thread = thread_here();
    int saved_errno = errno;
    if (port_takes_fault(number, info, machine) || fault_grows_stack(number, info, machine) ||
        (is_kept(number) && hand_on(number, info, machine))) {
        errno = saved_errno;
        return;
    }
    if (!thread->in_finding && is_fault(number, info) && port_is_checked()) {
        fault_report(number, info, machine);
    } else if (thread->in_finding && is_fault(number, info)) {
        static int noted;
        record_count_finding(); /* one without a record */
        rt_note(&noted, "the program's memory broke the runtime while it made a finding; that "
                        "finding is lost");
    }
    if (finding_hold(number)) os_exit((int)options.exitcode);
    /* Then what would have happened without us: the faulting instruction runs
     * again, or the signal comes again, with the default action. A trap lies behind its
     * instruction. */
    struct sigaction standard = {0};
    standard.sa_handler = SIG_DFL;
    __sigaction(number, &standard, NULL);
    if (info->si_code <= 0 || number == SIGTRAP || index_of(number) >= (int)FAULTS)
        os_signal_thread(os_process(), os_thread(), number);
    errno = saved_errno;
}

/* ---- the signal that starts a leak check ---- */

static struct sigaction believed_leak; /* what the program installed for it */

static void on_leak_signal(int number, siginfo_t *info, void *machine) {
    int saved_errno = errno;
    struct context context = {0};
    fault_state(&context, machine);
    context.pc = context.trap.pc;
    event_leak_check(&context, WH_CHECK_SIGNAL);
    errno = saved_errno;
    if (believed_leak.sa_flags & SA_SIGINFO)
        believed_leak.sa_sigaction(number, info, machine);
    else if (believed_leak.sa_handler != SIG_DFL && believed_leak.sa_handler != SIG_IGN)
        believed_leak.sa_handler(number);
}

static void install_leak_signal(void) {
    struct sigaction own = {0};
    if (!options.leak_signal || index_of((int)options.leak_signal) >= 0) return;
    own.sa_sigaction = on_leak_signal;
    own.sa_flags = SA_SIGINFO | SA_RESTART;
    __sigaction((int)options.leak_signal, &own, &believed_leak);
}

/* ---- stacks for the handler ---- */

/* Registers of every access to a closed block are stored there: no leak search must look. */
#define KEPT_MOST 1024u
static uintptr_t kept[KEPT_MOST];
static unsigned kept_count;
static struct os_lock kept_lock;

void signals_lock(void) {
    os_lock(&kept_lock);
    signal_stacks_lock();
}

void signals_unlock(void) {
    signal_stacks_unlock();
    os_unlock(&kept_lock);
}

static uintptr_t take_stack(void) {
    if (!PORT_GUARDS) return os_map(SIGNAL_STACK);
    os_lock(&kept_lock);
    uintptr_t stack = kept_count ? kept[--kept_count] : (uintptr_t)rt_private(SIGNAL_STACK);
    os_unlock(&kept_lock);
    return stack;
}

static void give_stack(uintptr_t stack) {
    if (!PORT_GUARDS) {
        os_unmap(stack, SIGNAL_STACK);
        return;
    }
    os_lock(&kept_lock);
    if (kept_count < KEPT_MOST) kept[kept_count++] = stack;
    os_unlock(&kept_lock);
}

static void open_stack(struct thread *thread) {
    struct os_stack old = {0};
    if (!options.signals || os_alternate_stack(NULL, &old) < 0 || !(old.flags & SS_DISABLE)) return;
    thread->alternate_stack = take_stack();
    struct os_stack own = {(void *)thread->alternate_stack, 0, SIGNAL_STACK};
    if (thread->alternate_stack) os_alternate_stack(&own, NULL);
}

void signals_forget(void) {
    uintptr_t begin = thread_self.alternate_stack, here = (uintptr_t)__builtin_frame_address(0);
    if (PORT_OBSERVED && begin && here - begin >= SIGNAL_STACK)
        wh_fill((void *)begin, 0, SIGNAL_STACK);
}

static void begins(const struct new_thread *unused) {
    (void)unused;
    open_stack(&thread_self);
}

static void ends(void) {
    struct thread *thread = &thread_self;
    signal_stacks_close_thread();
    if (!thread->alternate_stack) return;
    struct os_stack now = {0}, none = {NULL, SS_DISABLE, 0};
    if (os_alternate_stack(NULL, &now) == 0 && (uintptr_t)now.begin == thread->alternate_stack)
        os_alternate_stack(&none, NULL);
    give_stack(thread->alternate_stack);
    thread->alternate_stack = 0;
}

const struct observer signals_observer = {.always = 1, .begins = begins, .ends = ends};

/* ---- the program's own handler ---- */

struct fault {
    int number;
    const siginfo_t *info;
    const ucontext_t *machine;
};

static void report_handled(void *argument) {
    const struct fault *fault = argument;
    fault_report_handled(fault->number, fault->info, fault->machine);
}

static void call_on_stack(uintptr_t top, void (*function)(void *), void *argument) {
    __asm__ volatile("movq %%rsp, %%rbx\n"
                     "movq %1, %%rsp\n"
                     "call *%0\n"
                     "movq %%rbx, %%rsp\n"
                     : "+a"(function), "+c"(top), "+D"(argument)
                     :
                     : "rbx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
}

static int install_before(int number, const struct sigaction *wanted);

/* The program's stack for signals may have no room for a finding. */
static void on_own_signal(int number, siginfo_t *info, void *machine) {
    int saved_errno = errno;
    if (fault_grows_stack(number, info, machine)) {
        if (believed[index_of(number)].sa_flags & (int)SA_RESETHAND)
            install_before(number, &believed[index_of(number)]);
        return;
    }
    struct fault fault = {number, info, machine};
    uintptr_t stack = 0;
    if (info->si_code > 0 && !thread_here()->in_finding && port_is_checked()) stack = take_stack();
    if (stack) {
        call_on_stack(stack + SIGNAL_STACK, report_handled, &fault);
        give_stack(stack);
    }
    errno = saved_errno;
    struct sigaction own = believed[index_of(number)];
    handle_as(&own, number, info, machine);
}

/* ---- what the program sees ---- */

static void install(int number) { port_install(number, on_signal); }

void signals_init(void) {
    install_leak_signal();
    if (!options.signals) return;
    open_stack(&thread_self);
    if (finding_is_held()) watched_count = WATCHED;
    for (unsigned i = 0; i < watched_count; i++) {
        if (index_of(watched[i]) < 0) continue;
        __sigaction(watched[i], NULL, &believed[i]);
        if (believed[i].sa_handler == SIG_DFL) install(watched[i]);
    }
    port_signals_ready();
    installed = 1;
}

static int is_default(const struct sigaction *action) {
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

int signals_end(int number) {
    int index = installed ? index_of(number) : -1;
    if (index >= 0) return is_default(&believed[index]);
    struct sigaction now;
    return __sigaction(number, NULL, &now) == 0 && is_default(&now);
}

/* Stands before a handler of the program, with the flags and the mask that it wants. */
static int install_before(int number, const struct sigaction *wanted) {
    struct sigaction action = *wanted;
    int takes = number == SIGSEGV && !is_default(wanted) &&
                ((wanted->sa_flags & SA_SIGINFO) || wanted->sa_handler != SIG_IGN);
    if (takes) {
        action.sa_sigaction = on_own_signal;
        action.sa_flags |= SA_SIGINFO;
    }
    return takes ? __sigaction(number, &action, NULL) : handlers_set(number, &action, NULL);
}

static int is_leak_signal(int number) {
    return options.leak_signal && (int)options.leak_signal == number && index_of(number) < 0;
}

/* A child of vfork has handlers of its own and this memory: what its parent's are stays noted here.
 */
static int is_lent(void) { return thread_self.tid && thread_self.tid != os_thread(); }

static struct sigaction remembered[2];

static int remember(int number, const struct sigaction *action, struct sigaction *old) {
    struct sigaction before = remembered[number == SIGSYS];
    if (action && !is_lent()) remembered[number == SIGSYS] = *action;
    if (old) *old = before;
    return 0;
}

int signals_hand_on(int number, siginfo_t *info, void *machine) {
    return handle_as(&remembered[number == SIGSYS], number, info, machine);
}

int signals_take_faults(void) {
    struct sigaction now;
    return installed && __sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
           now.sa_sigaction == on_signal;
}

static int set_lent(int number, const struct sigaction *action) {
    if (!is_default(action) && !is_kept(number)) return __sigaction(number, action, NULL);
    install(number);
    return 0;
}

WH_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    int index = installed ? index_of(number) : -1;
    if (is_leak_signal(number)) {
        struct sigaction was = believed_leak;
        if (action && !is_lent()) believed_leak = *action;
        if (old) *old = was;
        return 0;
    }
    if (is_needed(number)) return remember(number, action, old);
    struct sigaction open;
    if (action && (port_signals() || options.caged)) {
        open = *action;
        if (port_signals()) sigdelset(&open.sa_mask, SIGSEGV);
        if (port_signals()) sigdelset(&open.sa_mask, SIGTRAP);
        sigdelset(&open.sa_mask, SIGSYS);
        action = &open;
    }
    if (index < 0) return handlers_set(number, action, old);
    struct sigaction before = believed[index];
    if (action) {
        struct sigaction wanted = *action; /* old may be the same object */
        if (is_lent()) {
            if (old) *old = before;
            return set_lent(number, &wanted);
        }
        if (is_default(&wanted) || is_kept(number))
            install(number);
        else if (install_before(number, &wanted) < 0)
            return -1;
        believed[index] = wanted;
    }
    if (old) *old = before;
    return 0;
}

typedef void (*handler)(int);

static handler (*next_signal)(int, handler);

/* Before the program runs: dlsym would take from it what dlerror returns next. */
__attribute__((constructor)) static void find_signal(void) {
    if (!next_signal)
        next_signal = (handler (*)(int, handler))(uintptr_t)dlsym(RTLD_NEXT, "signal");
}

WH_EXPORT handler signal(int number, handler wanted) {
    int ours = (installed && index_of(number) >= 0) || is_leak_signal(number) ||
               is_needed(number) || handlers_are_watched();
    if (!ours) {
        find_signal();
        return next_signal(number, wanted);
    }
    struct sigaction action = {0}, old = {0};
    action.sa_handler = wanted;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, number);
    if (sigaction(number, &action, &old) < 0) return SIG_ERR;
    return old.sa_handler;
}
