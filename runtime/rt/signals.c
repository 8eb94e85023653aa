/* Signals that would kill the program are findings; a program that handles them
 * itself does not notice us. */
#include "signals.h"
#include "../findings/finding.h"
#include "../process/images.h"
#include "loading.h"
#include "../process/options.h"
#include "../leak/leak.h"
#include "event.h"
#include "../os/os.h"
#include "../planes/planes.h"
#include "../record/record.h"
#include "../port/port.h"
#include "../x86/machine.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <ucontext.h>

int __sigaction(int, const struct sigaction *, struct sigaction *);

static const int watched[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
#define WATCHED (sizeof watched / sizeof *watched)
#define SIGNAL_STACK (64ull << 10)

/* What the program believes is installed. */
static struct sigaction believed[WATCHED];
static int installed;

static int index_of(int number) {
    for (unsigned i = 0; i < WATCHED; i++)
        if (watched[i] == number) return (int)i;
    return -1;
}

/* ---- the handler ---- */

/* Made by the processor or by the program itself, not sent by another process. */
static int is_own(const siginfo_t *info) {
    return info->si_code > 0 || (uint32_t)info->si_pid == os_process();
}

static uint64_t saved_register(const ucontext_t *machine, int which) {
    return (uint64_t)machine->uc_mcontext.gregs[which];
}

#define FAULT_WRITE 2u /* bit of the page fault's error code */
#define CODE_KERNEL 128

static int is_canonical(uint64_t address) {
    return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

/* The processor gives no fault address for an address that is not canonical: it is
 * computed from the instruction. */
static uintptr_t operand_address(const ucontext_t *machine) {
    struct machine_accesses accesses;
    machine_accesses(machine, &accesses);
    for (unsigned i = 0; i < accesses.instruction.memories; i++)
        if (accesses.instruction.memory[i].access && !is_canonical(accesses.address[i]))
            return accesses.address[i];
    return 0;
}

/* The whole access that faulted at an address, which may be in its middle. Nothing is said of
 * instructions that are not understood: then the operand does not hold the address. */
static void measure(struct context *context, uintptr_t fault, const ucontext_t *machine) {
    struct machine_accesses accesses;
    uint64_t begin;
    machine_accesses(machine, &accesses);
    const struct x86_memory *memory = machine_holder(&accesses, fault, &begin);
    if (!memory) return;
    context->event.r = context->event.root = begin;
    context->event.width = memory->width;
}

/* The program's address: a fault inside the plane, or where the plane would
 * continue, is a check of another address. */
static uintptr_t fault_address(const siginfo_t *info, const ucontext_t *machine) {
    uintptr_t address =
        info->si_code == CODE_KERNEL ? operand_address(machine) : (uintptr_t)info->si_addr;
    uint64_t reach = UINT64_MAX >> WH_GRANULE_SHIFT;
    int is_check = address >= PLANE_BEGIN && address - PLANE_BEGIN <= reach &&
                   (address < PLANE_END || address >= ADDRESS_END);
    return is_check ? (address - WH_STATE_OFFSET) << WH_GRANULE_SHIFT : address;
}

static void trap_of(struct context *context, const ucontext_t *machine) {
    context->trap.pc = saved_register(machine, REG_RIP);
    context->trap.sp = saved_register(machine, REG_RSP);
    context->trap.pointer = (const struct frame *)saved_register(machine, REG_RBP);
}

/* ---- control that went astray ---- */

#define CALL_LEAST 2u /* bytes of the shortest call through a pointer */

static int is_behind_call(uint64_t pc) {
    struct x86_instruction call;
    for (unsigned back = CALL_LEAST; back < X86_LENGTH_MOST && back < pc; back++)
        if (machine_decode(pc - back, &call) && call.length == back && call.kind == X86_CALL)
            return 1;
    return 0;
}

/* The word at an address of the stack, 0 if there is none. */
static uint64_t stack_word(uintptr_t at) {
    return at % sizeof(uint64_t) == 0 && os_readable(at) ? *(const uint64_t *)at : 0;
}

/* The next instruction cannot be fetched: the finding is where control came from. A call left its
 * return address on the stack; a return took what is now below the stack pointer. */
static void find_caller(struct context *context) {
    uint64_t top = stack_word(context->trap.sp);
    if (is_behind_call(top)) {
        context->flags |= WH_FLAG_FETCH;
        context->trap.pc = top - 1;
        context->trap.sp += sizeof top;
    } else if (stack_word(context->trap.sp - sizeof top) == context->trap.pc) {
        context->flags |= WH_FLAG_RETURN;
    }
}

/* A return to an address that is not canonical traps before it is done; returns that address, else
 * 0. */
static uint64_t bad_return(const ucontext_t *machine) {
    struct x86_instruction instruction;
    uint64_t target = stack_word(saved_register(machine, REG_RSP));
    int returns = machine_decode(saved_register(machine, REG_RIP), &instruction) &&
                  instruction.kind == X86_RETURN;
    return returns && !is_canonical(target) ? target : 0;
}

/* Bytes below or above the stack pointer that a full stack traps at. */
#define FRAME_MOST 0x10000u

/* On stacks that the program made itself no end is known. */
static int is_above_stack(uintptr_t address, uintptr_t sp) {
    const struct stack_bounds *stack = &thread_self.stack;
    return sp - stack->low < stack->high - stack->low && address >= stack->high;
}

/* Functions touch their frames from the stack pointer on; a call pushes below it. */
static int is_stack_end(int number, uintptr_t address, const ucontext_t *machine) {
    uintptr_t sp = saved_register(machine, REG_RSP);
    return number == SIGSEGV && address + FRAME_MOST > sp && address < sp + FRAME_MOST &&
           !is_above_stack(address, sp) && !os_readable(wh_round_down(address, sizeof(uint64_t)));
}

static void report(int number, const siginfo_t *info, const ucontext_t *machine) {
    struct context context = {0};
    trap_of(&context, machine);
    context.flags = WH_FLAG_SIGNAL;
    context.signal = (uint32_t)number;
    int fault = (number == SIGSEGV || number == SIGBUS) && info->si_code > 0;
    uintptr_t address = fault ? fault_address(info, machine) : 0;
    if (fault && info->si_code != CODE_KERNEL && (uintptr_t)info->si_addr == context.trap.pc) {
        address = context.trap.pc;
        find_caller(&context);
    }
    if (fault && info->si_code == CODE_KERNEL && !address && (address = bad_return(machine)))
        context.flags |= WH_FLAG_RETURN;
    if (address || (fault && info->si_code != CODE_KERNEL)) {
        int write = (saved_register(machine, REG_ERR) & FAULT_WRITE) != 0;
        int judged = address < WH_NULL_PAGE_SIZE || blocks_govern(address);
        int fetched = (context.flags & WH_FLAG_FETCH) != 0;
        if (PORT_GUARDS && !fetched && blocks_govern(address)) measure(&context, address, machine);
        if (judged && port_trapped(&context, address, write)) return;
        context.event.r = context.event.root = address;
        context.event.width = 1;
        if (write) context.flags |= WH_FLAG_WRITE;
        context.event.point = write ? WH_POINT_DEREF_W : WH_POINT_DEREF_R;
        if (is_stack_end(number, address, machine)) context.flags |= WH_FLAG_STACK_END;
    }
    context.event.now = blocks_tick();
    struct witness witness = {WH_RULE_SIGNAL, NULL, 0, NULL, {.count = 1}, WH_LEAK_NONE, {0}};
    finding_make(&context, &witness);
}

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
    if (fault && !thread_self.in_finding) report(number, info, machine);
    return handle_as(&own, number, info, machine);
}

static void on_signal(int number, siginfo_t *info, void *machine) {
    struct thread *thread = thread_here();
    int saved_errno = errno;
    if (port_takes_fault(number, info, machine) ||
        (PORT_GUARDS && hand_on(number, info, machine))) {
        errno = saved_errno;
        return;
    }
    if (!thread->in_finding && is_own(info) && port_is_checked()) {
        report(number, info, machine);
    } else if (thread->in_finding) {
        static int said;
        rt_note(&said, "the program's memory broke the runtime while it made a finding; that "
                       "finding is lost");
    }
    /* Then what would have happened without us: the faulting instruction runs
     * again, or the signal comes again, with the default action. */
    struct sigaction standard = {0};
    standard.sa_handler = SIG_DFL;
    __sigaction(number, &standard, NULL);
    if (info->si_code <= 0) os_signal_thread(os_process(), os_thread(), number);
    errno = saved_errno;
}

/* ---- the signal that starts a leak check ---- */

static struct sigaction believed_leak; /* what the program installed for it */

static void on_leak_signal(int number, siginfo_t *info, void *machine) {
    int saved_errno = errno;
    struct context context = {0};
    trap_of(&context, machine);
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

void signals_open_thread(struct thread *thread) {
    struct os_stack old = {0};
    if (!options.signals || os_alternate_stack(NULL, &old) < 0 || !(old.flags & SS_DISABLE)) return;
    thread->alternate_stack = take_stack();
    struct os_stack own = {(void *)thread->alternate_stack, 0, SIGNAL_STACK};
    if (thread->alternate_stack) os_alternate_stack(&own, NULL);
}

void signals_close_thread(struct thread *thread) {
    if (!thread->alternate_stack) return;
    struct os_stack now = {0}, none = {NULL, SS_DISABLE, 0};
    if (os_alternate_stack(NULL, &now) == 0 && (uintptr_t)now.begin == thread->alternate_stack)
        os_alternate_stack(&none, NULL);
    give_stack(thread->alternate_stack);
    thread->alternate_stack = 0;
}

/* ---- what the program sees ---- */

static void install(int number) { port_install(number, on_signal); }

/* Whether our handler stays where the program has one. */
static int is_kept(int number) { return PORT_GUARDS && number == SIGSEGV; }

void signals_init(void) {
    install_leak_signal();
    if (!options.signals) return;
    signals_open_thread(&thread_self);
    for (unsigned i = 0; i < WATCHED; i++) {
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

static int is_leak_signal(int number) {
    return options.leak_signal && (int)options.leak_signal == number && index_of(number) < 0;
}

/* Signals that closed blocks need, beside those that are watched. */
static int is_needed(int number) {
    return number != SIGSEGV && number > 0 && number <= 64 && (port_signals() & SIGNAL_BIT(number));
}

static struct sigaction remembered[2];

static int remember(int number, const struct sigaction *action, struct sigaction *old) {
    struct sigaction before = remembered[number == SIGSYS];
    if (action) remembered[number == SIGSYS] = *action;
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

WH_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    int index = installed ? index_of(number) : -1;
    if (is_leak_signal(number)) {
        struct sigaction was = believed_leak;
        if (action) believed_leak = *action;
        if (old) *old = was;
        return 0;
    }
    if (is_needed(number)) return remember(number, action, old);
    struct sigaction open;
    if (action && port_signals()) {
        open = *action;
        sigdelset(&open.sa_mask, SIGSEGV);
        sigdelset(&open.sa_mask, SIGTRAP);
        sigdelset(&open.sa_mask, SIGSYS);
        action = &open;
    }
    if (index < 0) return __sigaction(number, action, old);
    struct sigaction before = believed[index];
    if (action) {
        struct sigaction wanted = *action; /* old may be the same object */
        if (is_default(&wanted) || is_kept(number))
            install(number);
        else if (__sigaction(number, &wanted, NULL) < 0)
            return -1;
        believed[index] = wanted;
    }
    if (old) *old = before;
    return 0;
}

typedef void (*handler)(int);

WH_EXPORT handler signal(int number, handler wanted) {
    int ours = (installed && index_of(number) >= 0) || is_leak_signal(number) || is_needed(number);
    if (!ours) {
        handler (*next)(int, handler) =
            (handler (*)(int, handler))(uintptr_t)dlsym(RTLD_NEXT, "signal");
        return next(number, wanted);
    }
    struct sigaction action = {0}, old = {0};
    action.sa_handler = wanted;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, number);
    if (sigaction(number, &action, &old) < 0) return SIG_ERR;
    return old.sa_handler;
}
