/* Handlers of signals: what they call, and what they leave in errno.
 *
 * While a rule watches them, the runtime's own handler calls that of the program, which sees its
 * own one where it asks. A signal that comes while the thread is in a call of the kernel (it waits
 * there, or has sent the signal to itself) interrupts nothing that the handler could disturb.
 */
#include "handlers.h"
#include "event.h"
#include "meetings.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/images.h"
#include "../stacks/unwind.h"

#include <errno.h>
#include <ucontext.h>

int __sigaction(int, const struct sigaction *, struct sigaction *);

#define POINTS (1ull << WH_POINT_UNSAFE | 1ull << WH_POINT_HANDLER_END)

int handlers_are_watched(void) {
    return event_watched(WH_POINT_UNSAFE) || event_watched(WH_POINT_HANDLER_END) ||
           event_watched(WH_POINT_SHARE);
}

/* What the thread is in; a handler may interrupt another one, and may leave by siglongjmp. */
static __thread struct handling {
    uint8_t is_on;
    uint8_t waits; /* the thread was in a call of the kernel */
} handling;

#define NUMBERS 65
static struct sigaction handlers[NUMBERS];

/* ---- where a signal came ---- */

#define SYSCALL 0x050f

static int is_call(uintptr_t pc) {
    uint16_t code;
    return os_copy(&code, pc, sizeof code) && code == SYSCALL;
}

/* The processor's own signals come from what the thread does, as a call does. An interrupted call
 * is made again, or has returned. */
static int waits_at(const siginfo_t *info, const ucontext_t *machine) {
    uintptr_t pc = (uintptr_t)machine->uc_mcontext.gregs[REG_RIP];
    int number = info->si_signo;
    int is_fault = number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE ||
                   number == SIGTRAP || number == SIGSYS;
    return (is_fault && info->si_code > 0) || is_call(pc - 2) || is_call(pc);
}

/* ---- the end of a handler ---- */

static uintptr_t code_of(const struct sigaction *action) {
    if (action->sa_flags & SA_SIGINFO) return (uintptr_t)action->sa_sigaction;
    return (uintptr_t)action->sa_handler;
}

/* Nothing of the handler runs any more: the report names where it begins. */
static WH_COLD void judge_end(const struct sigaction *own, int saved, int now, int waits) {
    uint64_t pc = code_of(own) + 1;
    if (!event_watched(WH_POINT_HANDLER_END) || !images_has_checks(pc)) return;
    struct context context = {.place = depot_put(&pc, 1, depot_hash_step(DEPOT_HASH_INIT, pc))};
    context.event.point = WH_POINT_HANDLER_END;
    context.event.value = (uint64_t)(int64_t)saved;
    context.event.other = (uint64_t)(int64_t)now;
    context.event.width = (uint64_t)waits;
    event_evaluate(&context);
}

static __attribute__((section("whence_handlers"), noinline)) void
on_signal(int number, siginfo_t *info, void *machine) {
    struct sigaction own = handlers[number];
    struct handling outer = handling;
    int saved = errno;
    handling = (struct handling){1, (uint8_t)waits_at(info, machine)};
    events_handles();
    if (own.sa_flags & SA_SIGINFO)
        own.sa_sigaction(number, info, machine);
    else
        own.sa_handler(number);
    int now = errno, waits = handling.waits;
    handling = outer;
    if (now != saved) judge_end(&own, saved, now, waits);
    errno = now;
}

/* ---- the program's handlers ---- */

static int is_handler(const struct sigaction *action) {
    return (action->sa_flags & SA_SIGINFO) ||
           (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

static int is_ours(const struct sigaction *action) {
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_signal;
}

/* A child of vfork has handlers of its own, and this memory. */
static int is_lent(void) { return thread_self.tid && thread_self.tid != os_thread(); }

int handlers_set(int number, const struct sigaction *action, struct sigaction *old) {
    struct sigaction set, was;
    if (number <= 0 || number >= NUMBERS || !handlers_are_watched())
        return __sigaction(number, action, old);
    struct sigaction before = handlers[number];
    const struct sigaction *wanted = action;
    if (action) {
        events_installs();
        set = *action; /* old may be the same object */
        if (is_handler(action) && !is_lent()) {
            handlers[number] = *action;
            set.sa_sigaction = on_signal;
            set.sa_flags |= SA_SIGINFO;
        }
        wanted = &set;
    }
    int result = __sigaction(number, wanted, &was);
    if (result < 0) {
        if (action && !is_lent()) handlers[number] = before;
        return result;
    }
    if (old) {
        *old = was;
        if (is_ours(&was)) {
            old->sa_flags = before.sa_flags;
            if (before.sa_flags & SA_SIGINFO)
                old->sa_sigaction = before.sa_sigaction;
            else
                old->sa_handler = before.sa_handler;
        }
    }
    return result;
}

/* ---- what handlers call ---- */

extern const char handlers_begin[] __asm__("__start_whence_handlers");
extern const char handlers_end[] __asm__("__stop_whence_handlers");

#define DEEPEST 256u

/* Whether the handler was not left by siglongjmp: our own one is below it on the stack. */
static int is_in_handler(const struct frame *frame) {
    uint64_t pcs[DEEPEST], hash;
    unsigned count = unwind_frames(frame, &thread_self.stack, pcs, DEEPEST, &hash, NULL);
    for (unsigned i = 0; i < count; i++)
        if (pcs[i] - (uintptr_t)handlers_begin <= (uintptr_t)(handlers_end - handlers_begin))
            return 1;
    return 0;
}

static WH_COLD void judge_call(const char *function, const struct frame *frame) {
    if (!event_watched(WH_POINT_UNSAFE) || thread_self.in_finding || !judged_is(frame, 0)) return;
    if (!is_in_handler(frame)) {
        handling.is_on = 0;
        return;
    }
    struct context context = {.frame = frame, .library = function};
    context.event.point = WH_POINT_UNSAFE;
    context.event.value = handling.waits;
    event_evaluate(&context);
}

static inline void called(const char *function, const struct frame *frame) {
    if (WH_UNLIKELY(handling.is_on)) judge_call(function, frame);
}

static void made(const struct made_block *block) { called("malloc", block->frame); }

static void freed(uintptr_t begin) {
    (void)begin;
    called("free", FRAME_HERE);
}

static void meets(const struct meeting *meeting) {
    /* Of these, sem_post alone is safe. */
    if (meeting->kind == MEET_SEMAPHORE && meeting->step == MEET_SIGNAL) return;
    called(meeting->function, meeting->frame);
}

static void left(const struct transfer *transfer) {
    if (transfer->stream) called(transfer->function, transfer->frame);
}

const struct observer handlers_observer = {
    .points = POINTS,
    .made = made,
    .freed = freed,
    .meets = meets,
    .left = left,
};
