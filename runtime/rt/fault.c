#include "fault.h"
#include "event.h"
#include "last_words.h"
#include "unlinked.h"
#include "../findings/finding.h"
#include "../definedness/ranges.h"
#include "../os/os.h"
#include "../planes/planes.h"
#include "../port/port.h"
#include "../process/images.h"
#include "../settings/options.h"
#include "../x86/machine.h"

static uint64_t saved_register(const ucontext_t *machine, int which) {
    return (uint64_t)machine->uc_mcontext.gregs[which];
}

void fault_state(struct context *context, const ucontext_t *machine) {
    context->machine = machine;
    context->trap.pc = saved_register(machine, REG_RIP);
    context->trap.sp = saved_register(machine, REG_RSP);
    context->trap.pointer = (const struct frame *)saved_register(machine, REG_RBP);
}

/* ---- the address ---- */

#define FAULT_WRITE 2u /* bit of the page fault's error code */
#define CODE_KERNEL 128

static int is_canonical(uint64_t address) {
    return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

/* The processor gives no address for an access that is not canonical: it is
 * computed from the instruction. */
static uintptr_t operand_address(const ucontext_t *machine) {
    struct machine_accesses accesses;
    machine_accesses(machine, &accesses);
    for (unsigned i = 0; i < accesses.instruction.memories; i++)
        if (accesses.instruction.memory[i].access && !is_canonical(accesses.address[i]))
            return accesses.address[i];
    return 0;
}

/* The whole access that faulted at an address, which may be in its middle. The size
 * stays unknown for instructions that the decoder does not know: then no operand has the address.
 */
static void measure(struct context *context, uintptr_t fault, const ucontext_t *machine) {
    struct machine_accesses accesses;
    uint64_t begin;
    machine_accesses(machine, &accesses);
    const struct x86_memory *memory = machine_holder(&accesses, fault, &begin);
    if (!memory) return;
    context->event.r = context->event.root = begin;
    context->event.width = memory->width;
}

struct refused {
    int known; /* there is an address */
    uintptr_t address;
    int write;
    uint32_t width; /* bytes, as far as that is known; else 1 */
};

/* A tool looks for the undefined bits of an address before the instruction accesses it: where it
 * has no plane, that is what faults. */
static uintptr_t accessed_at(uintptr_t address, const ucontext_t *machine) {
    uintptr_t other = (address - WH_OBSERVED_VALUES_SKEW) ^ WH_OBSERVED_VALUES_FLIP;
    struct machine_accesses accesses;
    if (!PORT_OBSERVED || !VALUES_ON) return address;
    machine_accesses(machine, &accesses);
    for (unsigned i = 0; i < accesses.instruction.memories; i++)
        if (other - accesses.address[i] < OS_PAGE) return other;
    return address;
}

/* A fault inside the plane, or where the plane would continue, is a check of another address. The
 * check loses the last bits of the address, and whether it is read or written: the access that
 * follows has both. */
static struct refused refused_at(uintptr_t address, const ucontext_t *machine) {
    address = accessed_at(address, machine);
    uint64_t reach = UINT64_MAX >> WH_GRANULE_SHIFT;
    int is_check = address >= PLANE_BEGIN && address - PLANE_BEGIN <= reach &&
                   (address < PLANE_END || address >= ADDRESS_END);
    int write = (saved_register(machine, REG_ERR) & FAULT_WRITE) != 0;
    struct refused refused = {1, address, write, 1};
    if (is_check) refused.address = (address - WH_STATE_OFFSET) << WH_GRANULE_SHIFT;
    if (is_check || !is_canonical(address)) {
        uint64_t unit = is_check ? 1u << WH_GRANULE_SHIFT : 1;
        struct x86_memory memory = machine_access_in(machine, &refused.address, unit);
        refused.write = (memory.access & X86_WRITE) != 0;
        if (memory.width && !memory.partial && !memory.vector) refused.width = memory.width;
    }
    return refused;
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

/* An indirect call or jump to such an address traps before it is done, too. */
static uint64_t bad_branch(struct context *context, const ucontext_t *machine) {
    struct machine_accesses accesses;
    uint64_t target;
    machine_accesses(machine, &accesses);
    if (!machine_target(machine, &accesses, &target) || is_canonical(target)) return 0;
    context->flags |= WH_FLAG_FETCH;
    context->trap.pc += accesses.instruction.length - 1u;
    return target;
}

/* What the processor refused, of a signal that is a fault. The context's flags and registers say
 * where control came from if that is what went astray. */
static struct refused refused_by(struct context *context, const siginfo_t *info,
                                 const ucontext_t *machine) {
    struct refused none = {0, 0, 0, 0};
    uintptr_t address = (uintptr_t)info->si_addr;
    if (info->si_code != CODE_KERNEL) {
        struct refused refused = refused_at(address, machine);
        if (address == context->trap.pc) find_caller(context);
        return refused;
    }
    if ((address = operand_address(machine))) return refused_at(address, machine);
    if ((address = bad_return(machine)))
        context->flags |= WH_FLAG_RETURN;
    else
        address = bad_branch(context, machine);
    return address ? (struct refused){1, address, 0, 1} : none;
}

/* ---- the stack's ends ---- */

/* Bytes below or above the stack pointer that a full stack traps at. */
#define FRAME_MOST 0x10000u
/* Bytes above a stack that a loop may have written before it trapped. */
#define ABOVE_MOST (16ull << 20)

/* The loop left the stack upwards: all that lies between is mapped. On stacks that the program made
 * itself no end is known. */
static int is_above_stack(uintptr_t address, uintptr_t sp) {
    const struct stack_bounds *stack = &thread_self.stack;
    if (sp - stack->low >= stack->high - stack->low || address - stack->high >= ABOVE_MOST)
        return 0;
    uintptr_t at = wh_round_down(stack->high, OS_PAGE), end = wh_round_down(address, OS_PAGE);
    while (at < end && os_readable(at)) at += OS_PAGE;
    return at == end;
}

/* Functions touch their frames from the stack pointer on; a call pushes below it. */
static int is_stack_end(uintptr_t address, uintptr_t sp) {
    return address + FRAME_MOST > sp && address < sp + FRAME_MOST && !os_readable_word(address);
}

/* Frames with zones have been seen to be five times as large. */
#define FRAMES_GROW 8u

/* Other processes and threads keep the program's limit until it is reached. */
int fault_grows_stack(int number, const siginfo_t *info, const ucontext_t *machine) {
    static int grown;
    uintptr_t address = (uintptr_t)info->si_addr;
    const struct stack_bounds *stack = &thread_self.stack;
    if (!PORT_PLANES || number != SIGSEGV || info->si_code != SEGV_MAPERR || thread_self.number ||
        address - stack->low >= stack->high - stack->low ||
        !is_stack_end(address, saved_register(machine, REG_RSP)))
        return 0;
    uint64_t limit = os_stack_limit();
    if (limit >= THREAD_MAIN_STACK_LEAST || __atomic_exchange_n(&grown, 1, __ATOMIC_RELAXED))
        return 0;
    uint64_t wanted = limit * FRAMES_GROW;
    return os_raise_stack_limit(wanted < THREAD_MAIN_STACK_LEAST ? wanted
                                                                 : THREAD_MAIN_STACK_LEAST);
}

static uint32_t stack_flags(uintptr_t address, const ucontext_t *machine) {
    uintptr_t sp = saved_register(machine, REG_RSP);
    if (is_above_stack(address, sp)) return WH_FLAG_ABOVE;
    return is_stack_end(address, sp) ? WH_FLAG_STACK_END : 0;
}

/* ---- findings ---- */

static int is_judged(const struct refused *refused) {
    return refused->address < WH_NULL_PAGE_SIZE || blocks_govern(refused->address);
}

/* Shows the whole access to the rules, as far as it is known; the number of findings. */
static uint64_t judge(struct context *context, const struct refused *refused,
                      const ucontext_t *machine) {
    if (refused->width > 1) {
        context->event.r = context->event.root = refused->address;
        context->event.width = refused->width;
    }
    if (!(context->flags & (WH_FLAG_FETCH | WH_FLAG_RETURN)))
        measure(context, refused->address, machine);
    return port_trapped(context, refused->address, refused->write);
}

/* An access of one byte; what is accessed in all is known of few instructions. */
static void put_access(struct context *context, const struct refused *refused) {
    context->event.r = context->event.root = refused->address;
    context->event.width = 1;
    if (refused->write) context->flags |= WH_FLAG_WRITE;
    context->event.point = refused->write ? WH_POINT_DEREF_W : WH_POINT_DEREF_R;
}

static void make(struct context *context, uint64_t rule) {
    struct witness witness = {rule, NULL, 0, NULL, {.count = 1}, WH_LEAK_NONE, {0}};
    context->event.now = blocks_tick();
    finding_make(context, &witness);
}

static void begin(struct context *context, int number, const ucontext_t *machine) {
    fault_state(context, machine);
    context->flags = WH_FLAG_SIGNAL;
    context->signal = (uint32_t)number;
}

void fault_report(int number, const siginfo_t *info, const ucontext_t *machine) {
    struct context context = {0};
    struct refused refused = {0, 0, 0, 0};
    begin(&context, number, machine);
    int accessed = (number == SIGSEGV || number == SIGBUS) && info->si_code > 0;
    if (accessed) refused = refused_by(&context, info, machine);
    if (number == SIGABRT) context.types = last_words();
    if (refused.known) {
        unlinked_refuse(refused.address);
        if (is_judged(&refused) && judge(&context, &refused, machine)) return;
        put_access(&context, &refused);
        if (number == SIGSEGV) context.flags |= stack_flags(refused.address, machine);
    } else if (accessed) {
        context.event.width = 1; /* somewhere; a signal that was sent has no access */
    }
    make(&context, WH_RULE_SIGNAL);
    if (!options.halt) event_catch_up(&context);
}

/* Code that is generated while the program runs, and that of others, may rely on traps. Where a
 * return leads is no code at all. */
static int is_checked_code(const struct context *context) {
    enum image_kind kind = images_kind(context->trap.pc);
    return (context->flags & WH_FLAG_RETURN) || kind == IMAGE_INSTRUMENTED ||
           (kind == IMAGE_SYSTEM && images_main_instrumented());
}

/* Recursion that ends in the handler. */
static int is_full_stack(uintptr_t address, const ucontext_t *machine) {
    const struct stack_bounds *stack = &thread_self.stack;
    return stack_flags(address, machine) == WH_FLAG_STACK_END ||
           address - stack->low < stack->high - stack->low;
}

/* Whether the program has mapped no memory at the address. Pages that it has protected itself do
 * not count; the gap of the state plane does, where the checks of wild accesses trap. */
static int is_unmapped(const siginfo_t *info) {
    return info->si_code == SEGV_MAPERR || info->si_code == CODE_KERNEL ||
           (uintptr_t)info->si_addr - PLANE_BEGIN < PLANE_END - PLANE_BEGIN;
}

void fault_report_handled(int number, const siginfo_t *info, const ucontext_t *machine) {
    struct context context = {0};
    unlinked_refuse((uintptr_t)info->si_addr);
    if (number != SIGSEGV || !is_unmapped(info)) return;
    begin(&context, number, machine);
    struct refused refused = refused_by(&context, info, machine);
    if (!refused.known || !is_checked_code(&context) || is_full_stack(refused.address, machine))
        return;
    if (is_judged(&refused)) {
        judge(&context, &refused, machine);
    } else if (options.wild_access) {
        put_access(&context, &refused);
        context.event.width = refused.width;
        measure(&context, refused.address, machine);
        context.flags |= stack_flags(refused.address, machine);
        make(&context, WH_RULE_WILD_ACCESS);
        if (!options.halt) event_catch_up(&context);
    }
}
