#include "event.h"
#include "signals.h"
#include "entry.h"
#include "histories.h"
#include "watched.h"
#include "../labels/born.h"
#include "../findings/finding.h"
#include "../settings/options.h"
#include "../leak/excuse.h"
#include "../leak/leak.h"
#include "../leak/wishes.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../planes/planes.h"

/* ---- evaluation ---- */

static int applies(const struct whence_rule *rule, const struct whence_event *event) {
    if (!((rule->points >> event->point) & 1)) return 0;
    if (event->point != WH_POINT_CALL && event->point != WH_POINT_RET) return 1;
    return rule->function == event->function;
}

/* That the block is still there is the fault of the free that was reported. */
static WH_COLD void excuse_refused(uintptr_t address) {
    if (!block_begins_live(block_around(address), address)) excuse_block(address);
}

static int is_access(uint64_t point) {
    return point == WH_POINT_DEREF_R || point == WH_POINT_DEREF_W;
}

uint64_t event_evaluate(struct context *context) {
    struct thread *thread = thread_here();
    if (!event_watched(context->event.point) || thread->in_finding) return 0;
    if (WH_UNLIKELY(thread->silent) && !context->check) return 0;
    thread->in_finding = 1;
    thread->event_time = context->event.now = blocks_tick();
    if (context->collect) leak_begin(context);
    int counts_only = context->check && context->collect && options.leaks == LEAKS_COUNTED;
    for (uint64_t i = 0; i < rules_current->rule_count && !counts_only; i++) {
        if (!applies(&rules_current->rules[i], &context->event)) continue;
        thread->recalled_stack = 0;
        if (PORT_PLANES) birth_forget();
        rules_current->rules[i].evaluate(&context->event, i);
    }
    if (context->collect) leak_end(context);
    if (context->findings && context->event.point == WH_POINT_FREE)
        excuse_refused(context->event.r);
    thread->in_finding = 0;
    if (is_access(context->event.point)) event_catch_up(context);
    return context->findings;
}

void event_put_off(const struct whence_event *event) {
    thread_here()->put_off =
        (struct put_off_event){event->point, event->r, event->width, event->value};
}

void event_catch_up(const struct context *context) {
    struct put_off_event *put_off = &thread_self.put_off;
    struct context behind = {.frame = context->frame, .trap = context->trap};
    if (WH_LIKELY(!put_off->point) || put_off->address != context->event.r) return;
    behind.event.point = put_off->point;
    behind.event.r = behind.event.root = put_off->address;
    behind.event.width = put_off->width;
    behind.event.value = put_off->value;
    block_read(block_at(put_off->address), &behind.event.block);
    put_off->point = 0;
    event_evaluate(&behind);
}

WH_EXPORT void __whence_fire(const struct whence_event *event, uint64_t rule_index,
                             const struct whence_block *block, uint64_t value_count,
                             const uint64_t *values) {
    struct context *context = WH_CONTAINER(event, struct context, event);
    if (block && !block->id) block = NULL;
    struct witness witness = {rule_index,   block,        value_count, values,
                              {.count = 1}, WH_LEAK_NONE, {0}};
    if (context->collect && block)
        leak_collect(context, &witness);
    else
        finding_make(context, &witness);
}

/* ---- calls and returns ---- */

WH_EXPORT uint64_t __whence_watch(const char *name) { return rules_function(name); }

static struct whence_past *last_event(struct thread *thread, uint64_t function, uint64_t ret) {
    if (!rules_current || function >= rules_current->function_count) return NULL;
    if (!thread->events) {
        thread->events = rt_private(rules_current->function_count * 2 * sizeof *thread->events);
        if (!thread->events) return NULL;
    }
    return &thread->events[function * 2 + (ret != 0)];
}

/* Callee-saved registers that the entry points push below their frame. */
#define SAVED_REGISTERS 5u

__attribute__((used, visibility("hidden"))) void
whence_call_or_return(uint64_t point, uint64_t function, uintptr_t callee, const uint64_t *words,
                      const struct frame *frame) {
    struct thread *thread = thread_here();
    if (callee) function = watched_outside(function, callee);
    struct whence_past *last = last_event(thread, function, point == WH_POINT_RET);
    if (!last) return;
    struct context context = {0};
    context.event.point = point;
    context.event.value = words[0];
    wh_copy_short(&context.event.first, words + 1, WHENCE_ARGUMENTS * sizeof *words);
    context.event.function = function;
    context.frame = frame;
    context.stack_low = (uintptr_t)frame - SAVED_REGISTERS * sizeof(uint64_t);
    context.collect = 1;
    /* The end of main is evaluated when the process ends, after its exit handlers. */
    if (!(point == WH_POINT_RET && function == rules_main)) event_evaluate(&context);
    last->time = blocks_tick();
    wh_copy_short(last->words, words, sizeof last->words);
    histories_add(function, point == WH_POINT_RET, last, frame);
}

/* Pointers that the program holds in callee-saved registers alone go to the
 * stack first, next to the program's frames, where a leak search finds them.
 * Below them go the words of the event, the last of which are passed on the stack. */
#define ENTRY(name, point)                                                                         \
    FRAMED_ENTRY(name, "    push %rbx\n"                                                           \
                       "    push %r12\n"                                                           \
                       "    push %r13\n"                                                           \
                       "    push %r14\n"                                                           \
                       "    push %r15\n"                                                           \
                       "    sub $72, %rsp\n"                                                       \
                       "    mov %rdx, (%rsp)\n"                                                    \
                       "    mov %rcx, 8(%rsp)\n"                                                   \
                       "    mov %r8, 16(%rsp)\n"                                                   \
                       "    mov %r9, 24(%rsp)\n"                                                   \
                       "    mov 16(%rbp), %rax\n"                                                  \
                       "    mov %rax, 32(%rsp)\n"                                                  \
                       "    mov 24(%rbp), %rax\n"                                                  \
                       "    mov %rax, 40(%rsp)\n"                                                  \
                       "    mov 32(%rbp), %rax\n"                                                  \
                       "    mov %rax, 48(%rsp)\n"                                                  \
                       "    mov %rsi, %rdx\n"                                                      \
                       "    mov %rdi, %rsi\n"                                                      \
                       "    mov $" point ", %edi\n"                                                \
                       "    mov %rsp, %rcx\n"                                                      \
                       "    mov %rbp, %r8\n"                                                       \
                       "    call whence_call_or_return\n"                                          \
                       "    leave\n"                                                               \
                       "    .cfi_def_cfa %rsp, 8\n"                                                \
                       "    ret\n")

ENTRY("__whence_call", "4");
ENTRY("__whence_ret", "5");
_Static_assert(WH_POINT_CALL == 4 && WH_POINT_RET == 5, "the numbers in the entry points above");
_Static_assert(WHENCE_WORDS == 7, "the words that they store");

static int no_more_checks;

void event_no_more_checks(void) { no_more_checks = 1; }

/* The search must not read the frames of its own functions, which hold leftovers of earlier calls:
 * it begins at this frame, into which the callee-saved registers are pushed. */
uint64_t event_leak_check(struct context *context, uint32_t check) {
    __builtin_unwind_init();
    if (no_more_checks || !rules_current || !options.leaks || rules_main == UINT64_MAX) return 0;
    if (thread_here()->in_finding) return 0;
    if (check == WH_CHECK_END && wishes_decline()) return 0;
    signals_forget();
    context->event.point = WH_POINT_RET;
    context->event.function = rules_main;
    const struct whence_past *last = last_event(thread_here(), rules_main, 1);
    if (last) context->event.value = last->words[0];
    context->collect = 1;
    context->check = check;
    __asm__ volatile("mov %%rsp, %0" : "=r"(context->stack_low));
    if (check == WH_CHECK_END) context->stack_low = thread_stack_after_end();
    event_evaluate(context);
    if (context->new_leaks) wishes_tell();
    return context->new_leaks;
}

/* ---- functions that evaluators call ---- */

WH_EXPORT uint64_t __whence_last_event(uint64_t function, uint64_t ret, struct whence_past *out) {
    const struct whence_past *last = last_event(thread_here(), function, ret);
    if (!last || !last->time) return 0;
    *out = *last;
    return 1;
}

WH_EXPORT void __whence_block_of(uint64_t pointer, struct whence_block *out) {
    struct block inner = block_inner(pointer);
    thread_here()->last_block = block_exists(inner) ? inner : block_nearest(pointer);
    block_read(thread_here()->last_block, out);
}

WH_EXPORT uint64_t __whence_next_block(uint64_t *cursor, uint64_t state, struct whence_block *out) {
    struct thread *thread = thread_here();
    for (;;) {
        struct block block = block_next(cursor, state);
        if (!block_exists(block)) return 0;
        block_read(block, out);
        /* Other threads still run: the blocks that they allocate now are newer than the event. */
        if (out->id > thread->event_time) continue;
        thread->last_block = block;
        return 1;
    }
}

/* A rule mostly reads the block that it looked up last. */
static struct block block_of_id(uint64_t id) {
    struct block block = thread_here()->last_block;
    if (block_exists(block) && block_id(block) == id) return block;
    return thread_here()->last_block = block_find(id);
}

WH_EXPORT void __whence_block_by_id(uint64_t id, struct whence_block *out) {
    block_read(id ? block_of_id(id) : block_none(), out);
}

static uint64_t pointed(uint64_t id, enum leak_pointers pointers) {
    struct block block = block_of_id(id);
    return block_exists(block) ? (uint64_t)leak_pointed(block, pointers) : 0;
}

WH_EXPORT uint64_t __whence_pointed(uint64_t id) { return pointed(id, LEAK_ANY); }

WH_EXPORT uint64_t __whence_pointed_begin(uint64_t id) { return pointed(id, LEAK_STRONG); }

WH_EXPORT uint64_t __whence_pointed_lost(uint64_t id) { return pointed(id, LEAK_LOST); }

WH_EXPORT uint64_t __whence_load(uint64_t address, uint64_t width, uint64_t *value) {
    if (width > 8 || port_first_bad(address, width) != address + width) return 0;
    if (!blocks_govern(address) && (!os_readable(address) || !os_readable(address + width - 1)))
        return 0;
    *value = 0;
    wh_copy(value, (const void *)address, width);
    return 1;
}
