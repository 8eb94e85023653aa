#include "trap.h"
#include "../os/mem.h"
#include "../rt/access.h"
#include "../process/images.h"
#include "../process/thread.h"
#include "../x86/machine.h"
#include "dispatch.h"
#include "options.h"
#include "pager.h"
#include "report.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100
#define FAULT_WRITE 2u
#define DIRECTION_FLAG 0x400

/* The most blocks that one instruction may access: a gather has 16 addresses, each in up to two. */
#define OPENED_MOST 40u

static __thread struct {
    unsigned count, width;
    struct {
        struct block place;
        uint64_t born;
    } blocks[OPENED_MOST];
} opened __attribute__((tls_model("initial-exec")));

unsigned trap_width(void) { return opened.width ? opened.width : 1; }

void trap_filled(struct block place) {
    if (trap_is_on() && place.slot && guard_is_paged(place))
        guard_extra(place)->flags |= GUARD_TOUCHED;
}

/* ---- opening and closing ---- */

static int is_live(struct block place) {
    return place.slot && guard_is_paged(place) && !slot_claimed(place.region, place.slot) &&
           block_record(place.region, place.slot)->state == WH_BLOCK_LIVE;
}

int trap_open(struct block place) {
    struct guard_span span = guard_span(place);
    if (!is_live(place) || span.begin == span.end || !(trap_is_on() || pager_on)) return 0;
    __atomic_add_fetch(&guard_extra(place)->open, 1, __ATOMIC_SEQ_CST);
    pager_unpack(place);
    if (trap_is_on()) os_protect(span.begin, span.end - span.begin, OS_READ_WRITE);
    return 1;
}

void trap_close(struct block place) {
    uint64_t token = trap_is_on() ? pager_lock() : 0;
    uint32_t left = __atomic_sub_fetch(&guard_extra(place)->open, 1, __ATOMIC_SEQ_CST);
    if (!trap_is_on()) return;
    if (!left && is_live(place) && !pager_is_packed(place)) options_protect(place);
    pager_unlock(token);
}

static void open_for_step(struct block place) {
    uint64_t born = block_record(place.region, place.slot)->born;
    for (unsigned i = 0; i < opened.count; i++)
        if (opened.blocks[i].place.slot == place.slot &&
            opened.blocks[i].place.region == place.region && opened.blocks[i].born == born) {
            struct guard_span span = guard_span(place); /* another thread has closed it meanwhile */
            os_protect(span.begin, span.end - span.begin, OS_READ_WRITE);
            return;
        }
    if (opened.count == OPENED_MOST || !trap_open(place)) return;
    opened.blocks[opened.count].place = place;
    opened.blocks[opened.count++].born = born;
}

/* Skips blocks that were freed meanwhile and whose slots contain new blocks. */
static void close_opened(void) {
    while (opened.count) {
        opened.count--;
        struct block place = opened.blocks[opened.count].place;
        if (block_record(place.region, place.slot)->born == opened.blocks[opened.count].born)
            trap_close(place);
    }
}

/* ---- checking an access ---- */

struct access {
    uintptr_t address, end;
    struct block place;
    uintptr_t begin, block_end;
    uint64_t pc;
    int write;
};

/* String functions of the C library, and other vector code, read whole aligned vectors that contain
 * the first or last bytes of a block. Such a read never leaves the page and is harmless. */
#define VECTOR_LEAST 16u
#define VECTOR_MOST 64u

static int is_vector_read(const struct access *access) {
    uint64_t width = access->end - access->address;
    if (access->write) return 0;
    if (width >= VECTOR_LEAST && access->address % width == 0 &&
        access->address < access->block_end && access->end > access->begin)
        return 1;
    return images_kind(access->pc) == IMAGE_SYSTEM &&
           access->address < access->block_end + VECTOR_MOST &&
           access->end + VECTOR_MOST > access->begin;
}

static int is_inside(const struct access *access) {
    return access->address >= access->begin && access->end <= access->block_end;
}

static void note_use(const struct access *access) {
    struct guard_extra *extra = guard_extra(access->place);
    extra->use_address = access->address;
    extra->use_pc = access->pc + 1;
    extra->use_time = blocks_clock;
}

static void trap_point(struct context *context, const ucontext_t *machine) {
    const greg_t *registers = machine->uc_mcontext.gregs;
    context->trap.pc = (uint64_t)registers[REG_RIP];
    context->trap.sp = (uintptr_t)registers[REG_RSP];
    context->trap.pointer = (const struct frame *)registers[REG_RBP];
    context->flags = WH_FLAG_SIGNAL;
}

/* Reports a read of a block that the program has not written to. */
static void check_first(const struct access *access, const ucontext_t *machine) {
    struct guard_extra *extra = guard_extra(access->place);
    uint32_t before = __atomic_fetch_or(&extra->flags, GUARD_TOUCHED, __ATOMIC_ACQ_REL);
    if (access->write || (before & GUARD_TOUCHED) || guard.type != GUARD_BOTH_READ) return;
    struct context context = {0};
    trap_point(&context, machine);
    context.event.point = WH_POINT_DEREF_R;
    context.event.r = context.event.root = access->address;
    context.event.width = access->end - access->address;
    report_fixed(&context, WH_RULE_READ_BEFORE_WRITE, access->place);
}

static struct access access_of(uintptr_t address, unsigned width, int write,
                               const ucontext_t *machine) {
    struct access access = {.address = address, .end = address + (width ? width : 1)};
    access.place = guard_judge(address);
    access.pc = (uint64_t)machine->uc_mcontext.gregs[REG_RIP];
    access.write = write;
    if (!is_live(access.place)) access.place.slot = 0;
    if (!access.place.slot) return access;
    const struct block_record *record = block_record(access.place.region, access.place.slot);
    access.begin = record_begin(record, access.place.region, access.place.slot);
    access.block_end = access.begin + record_size(record, access.place.region, access.place.slot);
    return access;
}

static int is_on_pages(const struct access *access) {
    struct guard_span span = guard_span(access->place);
    return access->address >= span.begin && access->address < span.end;
}

static int is_forbidden(const struct access *access) {
    uint32_t flags = guard_extra(access->place)->flags;
    return (flags & GUARD_CLOSED) || ((flags & GUARD_READ_ONLY) && access->write);
}

/* 1: the instruction may run; 0: the rules are to be evaluated, with trap_width(). */
static int judge(const struct access *access, const ucontext_t *machine) {
    opened.width = (unsigned)(access->end - access->address);
    if (!access->place.slot || !is_on_pages(access) || is_forbidden(access)) return 0;
    if (!is_inside(access) && !is_vector_read(access)) {
        struct context context = {0};
        trap_point(&context, machine);
        if (!port_trapped(&context, access->address, access->write)) return 0;
        return 1; /* the program continues after findings; the access damages only a pattern */
    }
    check_first(access, machine);
    note_use(access);
    return 1;
}

/* ---- repeated string instructions, of which every iteration would trap ---- */

struct strings {
    uint64_t size; /* bytes in all */
    uintptr_t from, to;
    int copies;
};

/* Checks one operand; the number of its bytes that lie in the block. 0: not handled here. */
static uint64_t judge_side(uintptr_t at, uint64_t size, int write, const ucontext_t *machine) {
    if (!heap_contains(at)) return size;
    struct access access = access_of(at, 1, write, machine);
    if (!access.place.slot || !is_on_pages(&access) || !is_inside(&access) || is_forbidden(&access))
        return 0;
    uint64_t room = access.block_end - at;
    access.end = at + (size < room ? size : room);
    check_first(&access, machine);
    note_use(&access);
    return access.end - at;
}

static int is_copy(const struct x86_instruction *instruction) {
    return (instruction->opcode & 0xfe) == 0xa4; /* movs */
}

/* A repeated copy or fill of plain memory. */
static int is_bulk(const struct x86_instruction *instruction) {
    const struct x86_memory *memory = &instruction->memory[0];
    int fill = (instruction->opcode & 0xfe) == 0xaa; /* stos */
    return instruction->repeated && (fill || is_copy(instruction)) && !memory->narrow &&
           memory->segment == X86_FLAT;
}

/* Executes as many whole iterations as stay within both blocks. Then the instruction continues, and
 * traps at the first byte outside them. */
static int run_strings(const struct x86_instruction *instruction, ucontext_t *machine) {
    greg_t *registers = machine->uc_mcontext.gregs;
    uintptr_t to = (uintptr_t)registers[REG_RDI], from = (uintptr_t)registers[REG_RSI];
    uint64_t width = instruction->memory[0].width;
    uint64_t count = (uint64_t)registers[REG_RCX], size = count * width;
    int copies = is_copy(instruction);
    if ((registers[REG_EFL] & DIRECTION_FLAG) || !count || size / width != count) return 0;
    uint64_t bytes = judge_side(to, size, 1, machine);
    if (bytes && copies) bytes = judge_side(from, bytes, 0, machine);
    bytes -= bytes % width;
    if (!bytes) return 0;
    struct block sides[2] = {heap_block(to), heap_block(copies ? from : to)};
    int open_to = heap_contains(to) && trap_open(sides[0]);
    int open_from = copies && heap_contains(from) && trap_open(sides[1]);
    for (uint64_t i = 0; i < bytes; i++) { /* in this order, as the ranges may overlap */
        uint64_t part = i % width;
        ((volatile uint8_t *)to)[i] = copies ? ((const volatile uint8_t *)from)[i]
                                             : (uint8_t)((uint64_t)registers[REG_RAX] >> 8 * part);
    }
    if (open_to) trap_close(sides[0]);
    if (open_from) trap_close(sides[1]);
    registers[REG_RDI] += (greg_t)bytes;
    if (copies) registers[REG_RSI] += (greg_t)bytes;
    registers[REG_RCX] -= (greg_t)(bytes / width);
    if (!registers[REG_RCX]) registers[REG_RIP] += instruction->length;
    return 1;
}

/* ---- the two traps ---- */

/* The number of bytes of the access from the faulting one on; 0: unknown. */
static unsigned width_from(const struct machine_accesses *accesses, uintptr_t fault) {
    uint64_t begin;
    const struct x86_memory *memory = machine_holder(accesses, fault, &begin);
    return memory ? (unsigned)(begin + memory->width - fault) : 0;
}

int trap_fault(const siginfo_t *info, void *context) {
    ucontext_t *machine = context;
    uintptr_t address = (uintptr_t)info->si_addr;
    if (info->si_code != SEGV_ACCERR || !heap_contains(address)) return 0;
    int writes = ((uint64_t)machine->uc_mcontext.gregs[REG_ERR] & FAULT_WRITE) != 0;
    if ((!trap_is_on() || (guard.type == GUARD_BOTH_WRITE && !writes)) && pager_fault(address))
        return 1;
    if (!trap_is_on()) return 0;
    struct machine_accesses accesses;
    machine_accesses(machine, &accesses);
    int bulk = is_bulk(&accesses.instruction);
    if (bulk && run_strings(&accesses.instruction, machine)) return 1;
    unsigned width = bulk ? 1 : width_from(&accesses, address);
    struct access access = access_of(address, width, writes, machine);
    int through = judge(&access, machine);
    if (through) {
        open_for_step(access.place);
        machine->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    }
    return through;
}

int trap_step(void *context) {
    ucontext_t *machine = context;
    /* A signal may come before this handler's first instruction: the steps of its handler have then
     * closed what this one opened. */
    int stepped = opened.count || (machine->uc_mcontext.gregs[REG_EFL] & TRAP_FLAG);
    opened.width = 0;
    if (!stepped) return 0;
    machine->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    close_opened();
    return 1;
}

/* ---- handlers ---- */

void trap_install(int number, void (*handler)(int, siginfo_t *, void *)) {
    struct catching_action action = catching_action_of(handler);
    catching_set(number, &action, NULL);
}

uint64_t trap_signals(void) {
    uint64_t packed = pager_on ? SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGSYS) : 0;
    return trap_is_on() ? SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGSYS) : packed;
}

void trap_leave(int number) {
    trap_install(number, NULL);
    os_signal_thread(os_process(), os_thread(), number);
}

static void on_trap(int number, siginfo_t *info, void *machine) {
    (void)info;
    if (!trap_step(machine)) trap_leave(number);
}

void trap_init(void) {
    if (!trap_is_on()) return;
    static int noted;
    trap_install(SIGTRAP, on_trap);
    if (dispatch_begin()) return;
    rt_note(&noted,
            "this kernel has no syscall user dispatch (Linux 5.11): system calls fail with EFAULT "
            "on guarded blocks; use --guard top or bottom");
}
