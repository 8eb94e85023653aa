#include "observed.h"
#include "../os/dynamic.h"
#include "../os/mem.h"
#include "../os/text.h"
#include "../interface/requests.h"
#include "../process/images.h"
#include "../process/tool.h"
#include "../rt/access.h"
#include "../rt/event.h"
#include "../rt/fault.h"
#include "../port/port.h"
#include "../definedness/ranges.h"
#include "whence/rules.h"

#include <link.h>
#include <ucontext.h>

/* ---- images ---- */

static void announce(const struct dl_phdr_info *info, uint64_t request) {
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && header->p_flags & PF_X)
            tool_ask(request, begin, begin + header->p_memsz);
    }
}

static uintptr_t code_of(const struct dl_phdr_info *info) {
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && header->p_flags & PF_X)
            return info->dlpi_addr + header->p_vaddr;
    }
    return 0;
}

/* The C++ library's own functions access what they are given as the program's code does, and much
 * of it is the program's: templates that are compiled there. */
static int is_cxx(const struct dl_phdr_info *info) {
    static const char *const names[] = {"libstdc++.", "libc++."};
    const char *name = wh_base_name(info->dlpi_name ? info->dlpi_name : "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (wh_begins(name, names[i])) return 1;
    return 0;
}

/* Looks at images of which some is not complete; a bound, as what looks so may stay so: an address
 * in the code of another image, at the place where that one's was linked. */
#define LOOKS_MOST 1000u
static unsigned looks;

/* What is known already may be an image that came before. */
static int look(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    uintptr_t code = code_of(info);
    if (!code || !tool_ask(WH_REQUEST_MET, code, 0)) return 0;
    if (is_cxx(info))
        announce(info, WH_REQUEST_KNOWN);
    else if (images_kind(code) == IMAGE_SYSTEM)
        announce(info, WH_REQUEST_APART);
    else if (calls_lead(info) || ++looks > LOOKS_MOST)
        announce(info, WH_REQUEST_KNOWN);
    return 0;
}

void observed_begin(void) {
    sigset_t fault;
    sigemptyset(&fault);
    sigaddset(&fault, SIGSEGV);
    pthread_sigmask(SIG_UNBLOCK, &fault, NULL);
    dl_iterate_phdr(look, NULL);
    observed_follow();
    tool_ask(WH_REQUEST_BEGIN, 0, 0);
}

/* Functions that stand for themselves may be the program's own, or another library's: those are
 * code that the tool looks at like all other. */
#define X(name, symbol, how) extern char judged_##name[] __asm__(#symbol) __attribute__((weak));
WH_NUMBERS(X)
#undef X

static const struct judged {
    const char *name;
    const char *function; /* NULL: this library has none */
    uint64_t how;
} judged[] = {
#define X(name, symbol, how) {#name, judged_##name, how},
    WH_NUMBERS(X)
#undef X
};
#define JUDGED_COUNT (sizeof judged / sizeof *judged)

static const char *judged_at(uint64_t pc) {
    for (size_t i = 0; i < JUDGED_COUNT; i++)
        if ((uintptr_t)judged[i].function == pc) return judged[i].name;
    return NULL;
}

static void judge_calls(void) {
    for (size_t i = 0; i < JUDGED_COUNT; i++)
        if (judged[i].function)
            tool_ask(WH_REQUEST_JUDGE, (uintptr_t)judged[i].function, judged[i].how);
}

void observed_follow(void) {
    if (VALUES_ON) judge_calls();
    if (VALUES_ON) tool_ask(WH_REQUEST_VALUES, (uintptr_t)observed_follow, 0);
}

/* Code of which the tool knows nothing: a library that has been loaded, or is being loaded. */
static void met(uintptr_t pc) {
    images_refresh();
    dl_iterate_phdr(look, NULL);
    int is_image = images_hold(pc) || images_kind(pc) == IMAGE_SYSTEM;
    tool_ask(WH_REQUEST_ALLOW, !is_image, 0);
}

/* ---- accesses ---- */

struct stop {
    uint64_t address, size, write, kind, pc;
    uint64_t value, bits, tag; /* of a use, whose kind is the address */
};

static void judge(const struct stop *stop, void *machine) {
    struct context context = {0};
    fault_state(&context, machine);
    context.flags = WH_FLAG_SIGNAL;
    context.event.r = context.event.root = stop->address;
    context.event.width = stop->size;
    uintptr_t bad = access_reported(stop->address, stop->size);
    if (bad != stop->address + stop->size) port_trapped(&context, bad, stop->write != 0);
    tool_ask(WH_REQUEST_ALLOW, 0, 0);
}

/* At the begin of a function that the program calls: of its frame only the return address is there,
 * and what is below that is nobody's. */
static void begin_frame(struct context *context, void *machine) {
    const greg_t *gregs = ((ucontext_t *)machine)->uc_mcontext.gregs;
    struct frame *frame = (struct frame *)((uint64_t *)gregs[REG_RSP] - 1);
    frame->up = (const struct frame *)gregs[REG_RBP];
    context->frame = frame;
}

static void judge_use(const struct stop *stop, void *machine) {
    struct context context = {0};
    if (stop->address == WH_USE_ARGUMENT || stop->address == WH_USE_STATUS) {
        begin_frame(&context, machine);
        context.library = judged_at(stop->pc);
    } else {
        fault_state(&context, machine);
        context.flags = WH_FLAG_SIGNAL;
    }
    context.event.point = WH_POINT_USE;
    context.event.value = stop->value;
    context.event.other = stop->bits;
    context.event.width = stop->address;
    context.event.root = observed_origin((uint32_t)stop->tag);
    event_evaluate(&context);
    tool_ask(WH_REQUEST_ALLOW, 0, 0);
}

#define BITS_OF_ARGUMENT 4
#define SECOND_HALF 32

void port_arguments(unsigned first, uint64_t how, const long *words, const char *library,
                    const struct frame *frame) {
    for (uint64_t i = 0; how && event_watched(WH_POINT_USE); i++, how >>= BITS_OF_ARGUMENT) {
        uint64_t bytes = how % (1u << BITS_OF_ARGUMENT), found[2];
        if (!bytes || !tool_ask(WH_REQUEST_ARGUMENT, first + i, (uintptr_t)found)) continue;
        if (bytes < sizeof(uint64_t)) found[0] = found[0] << SECOND_HALF >> SECOND_HALF;
        if (!found[0]) continue;
        struct context context = {0};
        context.frame = frame;
        context.library = library;
        context.event.point = WH_POINT_USE;
        context.event.value = (uint64_t)words[i];
        context.event.other = found[0];
        context.event.width = WH_USE_ARGUMENT;
        context.event.root = observed_origin((uint32_t)found[1]);
        event_evaluate(&context);
    }
}

/* ---- where its address comes from ---- */

/* In the order of the core's. */
static const int registers[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15};
#define REGISTERS (sizeof registers / sizeof *registers)

struct question {
    uint64_t pc, address, registers[REGISTERS];
    struct row {
        uint64_t kind, value, writer, is_argument;
    } rows[WH_OBSERVED_WRITTEN_MOST];
};

/* What is said of a value depends on what it was. */
static void put_row(const struct row *row, uint64_t pointer, uint64_t caller, struct text *into) {
    static const uint64_t roles[] = {[WH_WRITTEN_POINTER] = WH_ROLE_POINTER,
                                     [WH_WRITTEN_INDEX] = WH_ROLE_INDEX,
                                     [WH_WRITTEN_USED] = WH_ROLE_USED};
    uint64_t words[] = {roles[row->kind], row->kind == WH_WRITTEN_POINTER ? pointer : row->value,
                        row->writer + 1, row->is_argument ? caller : 0};
    static const char *const before[] = {"=", "\t", "\n^", "\t"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        text_put(into, before[i]);
        text_decimal(into, words[i]);
    }
    text_put(into, "\n");
}

void port_written(const struct context *context, uint64_t caller, struct text *into) {
    struct question question = {.pc = context->trap.pc, .address = context->event.r};
    uint64_t point = context->event.point;
    if (!context->machine || !VALUES_ON) return;
    if (point != WH_POINT_DEREF_R && point != WH_POINT_DEREF_W && point != WH_POINT_USE) return;
    const greg_t *values = ((const ucontext_t *)context->machine)->uc_mcontext.gregs;
    for (size_t i = 0; i < REGISTERS; i++) question.registers[i] = (uint64_t)values[registers[i]];
    uint64_t count = tool_ask(WH_REQUEST_WRITTEN, (uint64_t)&question, point == WH_POINT_USE);
    for (uint64_t i = 0; i < count; i++) put_row(&question.rows[i], context->event.r, caller, into);
}

/* ---- requests of valgrind.h ---- */

/* Bytes of the sequence of instructions in which they are seen. */
#define SEQUENCE 19

#define REQUEST_WORDS 6

/* rdx holds the answer of a process that nothing executes, and then ours. For stacks, the request
 * is a call from where it stands, whose frame lies below the stack pointer for that time: what is
 * there may be the program's, and so may the request itself. */
static void answer(const struct stop *stop, void *machine) {
    greg_t *gregs = ((ucontext_t *)machine)->uc_mcontext.gregs;
    struct frame *call = (struct frame *)gregs[REG_RSP] - 1, kept = *call;
    uint64_t words[REQUEST_WORDS];
    uint8_t bits[sizeof *call];
    wh_copy(words, (const void *)stop->address, sizeof words);
    observed_read_bits((uintptr_t)call, sizeof bits, bits);
    *call = (struct frame){(const struct frame *)gregs[REG_RBP], stop->pc + SEQUENCE};
    observed_write_bits((uintptr_t)call, sizeof bits, bits);
    gregs[REG_RDX] = (greg_t)request_answer(words, (uint64_t)gregs[REG_RDX], call);
    gregs[REG_RIP] = (greg_t)(stop->pc + SEQUENCE);
    observed_read_bits((uintptr_t)call, sizeof bits, bits); /* the request may be about them */
    *call = kept;
    observed_write_bits((uintptr_t)call, sizeof bits, bits);
}

int observed_fault(int number, void *machine) {
    struct stop stop;
    if (number != SIGSEGV || !tool_ask(WH_REQUEST_ACCESS, (uint64_t)&stop, 0)) return 0;
    switch (stop.kind) {
    case WH_MET_CODE: met(stop.address); break;
    case WH_MET_USE: judge_use(&stop, machine); break;
    case WH_MET_REQUEST: answer(&stop, machine); break;
    default: judge(&stop, machine);
    }
    return 1;
}
