#include "event.h"
#include "finding.h"
#include "options.h"
#include "threads.h"
#include "../leak/excuse.h"
#include "../leak/leak.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../planes/planes.h"
#include "access.h"

static const struct whence_rule_set *rules;
uint64_t event_every;
uint64_t event_points;
static uint64_t main_function = UINT64_MAX;

/* ---- the rule set ---- */

static uint64_t function_number(const char *name) {
    for (uint64_t i = 0; i < rules->function_count; i++)
        if (wh_same(rules->function_names[i], name)) return i;
    return UINT64_MAX;
}

static void take_rules(const struct whence_rule_set *set) {
    uint64_t points = 0;
    uint64_t every = 0;
    for (uint64_t i = 0; i < set->rule_count; i++) {
        points |= set->rules[i].points;
        if (set->rules[i].points & WHENCE_RULE_EVERY) every |= set->rules[i].points;
    }
    rules = set;
    main_function = function_number("main");
    event_every = every;
    __atomic_store_n(&event_points, points, __ATOMIC_RELEASE);
}

static const struct whence_rule_set *assumed;

void event_assume_rules(const struct whence_rule_set *set) {
    if (rules) return;
    assumed = set;
    take_rules(set);
}

WH_EXPORT void __whence_register_rules(const struct whence_rule_set *set) {
    static int second;
    thread_here();
    if (set->abi != WHENCE_RULES_ABI) {
        TEXT(message, 200);
        text_put(&message, "the rules were compiled for version ");
        text_decimal(&message, set->abi);
        text_put(&message, " of the runtime's interface, not ");
        text_decimal(&message, WHENCE_RULES_ABI);
        text_put(&message, "; instrument the program again");
        text_give_up(&message);
    }
    if (rules != assumed) {
        if (rules != set)
            rt_note(&second, "a second rule set was loaded and is not used: one process has one");
        return;
    }
    take_rules(set);
}

const char *event_rule_name(uint64_t index) {
    if (rules && index < rules->rule_count) return rules->rules[index].name;
    switch (index) {
#define X(number, name, option)                                                                    \
    case number: return name;
        WH_FIXED_FINDINGS(X)
#undef X
    default: return "signal";
    }
}

const char *event_noun(uint64_t point) {
    switch (point) {
#define X(number, noun)                                                                            \
    case number: return noun;
        WH_POINTS(X)
#undef X
    default: return "event";
    }
}

/* ---- evaluation ---- */

static int applies(const struct whence_rule *rule, const struct whence_event *event) {
    if (!((rule->points >> event->point) & 1)) return 0;
    if (event->point != WH_POINT_CALL && event->point != WH_POINT_RET) return 1;
    return rule->function == event->function;
}

/* That the block is still there is the fault of the free that was reported. */
static void excuse_refused(uintptr_t address) {
    if (!block_begins_live(block_place(address), address)) excuse_block(address);
}

uint64_t event_evaluate(struct context *context) {
    struct thread *thread = thread_here();
    if (!event_watched(context->event.point) || thread->in_finding) return 0;
    if (WH_UNLIKELY(thread->silent) && !context->check) return 0;
    thread->in_finding = 1;
    thread->event_time = context->event.now = blocks_tick();
    if (context->collect) leak_begin(context);
    int counts_only = context->check && options.leaks == LEAKS_COUNTED;
    for (uint64_t i = 0; i < rules->rule_count && !counts_only; i++) {
        if (!applies(&rules->rules[i], &context->event)) continue;
        uint64_t fired = rules->rules[i].evaluate(&context->event, i);
        if (fired && !context->collect) break;
    }
    if (context->collect) leak_end(context);
    if (context->findings && context->event.point == WH_POINT_FREE) excuse_refused(context->event.r);
    thread->in_finding = 0;
    return context->findings;
}

WH_EXPORT void __whence_fire(const struct whence_event *event, uint64_t rule_index,
                             const struct whence_block *block, uint64_t value_count,
                             const uint64_t *values) {
    struct context *context = WH_CONTAINER(event, struct context, event);
    if (block && !block->id) block = NULL;
    struct witness witness = {rule_index, block, value_count, values, 1, 0, 0, WH_LEAK_NONE, {0, 0, 0}};
    if (context->collect && block)
        leak_collect(context, &witness);
    else
        finding_make(context, &witness);
}

/* ---- calls and returns ---- */

WH_EXPORT uint64_t __whence_watch(const char *name) {
    return rules ? function_number(name) : UINT64_MAX;
}

static struct last_event *last_event(struct thread *thread, uint64_t function, uint64_t ret) {
    if (!rules || function >= rules->function_count) return NULL;
    if (!thread->events) {
        thread->events = rt_private(rules->function_count * 2 * sizeof(struct last_event));
        if (!thread->events) return NULL;
    }
    return &thread->events[function * 2 + (ret != 0)];
}

/* Callee-saved registers that the entry points push below their frame. */
#define SAVED_REGISTERS 5u

__attribute__((used, visibility("hidden"))) void whence_call_or_return(uint64_t point,
                                                                       uint64_t function,
                                                                       uint64_t value,
                                                                       const struct frame *frame) {
    struct thread *thread = thread_here();
    struct last_event *last = last_event(thread, function, point == WH_POINT_RET);
    if (!last) return;
    struct context context = {0};
    context.event.point = point;
    context.event.value = value;
    context.event.function = function;
    context.frame = frame;
    context.stack_low = (uintptr_t)frame - SAVED_REGISTERS * sizeof(uint64_t);
    context.collect = 1;
    /* The end of main is evaluated when the process ends, after its exit handlers. */
    if (!(point == WH_POINT_RET && function == main_function)) event_evaluate(&context);
    last->time = blocks_tick();
    last->value = value;
}

/* Pointers that the program holds in callee-saved registers alone go to the
 * stack first, next to the program's frames, where a leak search finds them. */
#define ENTRY(name, point)                                                                         \
    __asm__(".text\n"                                                                              \
            ".globl " name "\n"                                                                    \
            ".type " name ", @function\n" name ":\n"                                               \
            ".cfi_startproc\n"                                                                     \
            "    push %rbp\n"                                                                      \
            "    .cfi_def_cfa_offset 16\n"                                                         \
            "    .cfi_offset %rbp, -16\n"                                                          \
            "    mov %rsp, %rbp\n"                                                                 \
            "    .cfi_def_cfa_register %rbp\n"                                                     \
            "    push %rbx\n"                                                                      \
            "    push %r12\n"                                                                      \
            "    push %r13\n"                                                                      \
            "    push %r14\n"                                                                      \
            "    push %r15\n"                                                                      \
            "    sub $8, %rsp\n"                                                                   \
            "    mov %rsi, %rdx\n"                                                                 \
            "    mov %rdi, %rsi\n"                                                                 \
            "    mov $" point ", %edi\n"                                                           \
            "    mov %rbp, %rcx\n"                                                                 \
            "    call whence_call_or_return\n"                                                     \
            "    leave\n"                                                                          \
            "    .cfi_def_cfa %rsp, 8\n"                                                           \
            "    ret\n"                                                                            \
            ".cfi_endproc\n"                                                                       \
            ".size " name ", .-" name "\n")

ENTRY("__whence_call", "4");
ENTRY("__whence_ret", "5");
_Static_assert(WH_POINT_CALL == 4 && WH_POINT_RET == 5, "the numbers in the entry points above");

int event_leak_check(struct context *context, uint32_t check) {
    if (!rules || !options.leaks || main_function == UINT64_MAX) return 0;
    if (thread_here()->in_finding) return 0;
    context->event.point = WH_POINT_RET;
    context->event.function = main_function;
    struct last_event *last = last_event(thread_here(), main_function, 1);
    if (last) context->event.value = last->value;
    context->collect = 1;
    context->check = check;
    if (check == WH_CHECK_END) context->stack_low = threads_stack_after_end();
    event_evaluate(context);
    return 1;
}

/* ---- what evaluators ask ---- */

WH_EXPORT uint64_t __whence_last_event(uint64_t function, uint64_t ret, uint64_t *time,
                                       uint64_t *value) {
    const struct last_event *last = last_event(thread_here(), function, ret);
    if (!last || !last->time) return 0;
    *time = last->time;
    *value = last->value;
    return 1;
}

WH_EXPORT void __whence_block_of(uint64_t pointer, struct whence_block *out) {
    thread_here()->last_block = blocks_nearest(pointer);
    blocks_read(thread_here()->last_block, out);
}

WH_EXPORT uint64_t __whence_next_block(uint64_t *cursor, uint64_t state, struct whence_block *out) {
    struct thread *thread = thread_here();
    for (;;) {
        struct block_place place = blocks_next(cursor, state);
        if (!place.index) return 0;
        blocks_read(place, out);
        /* Other threads go on: what they allocate now is not of this event's past. */
        if (out->id > thread->event_time) continue;
        thread->last_block = place;
        return 1;
    }
}

/* Rules mostly ask about the block that they have just been given. */
static struct block_place place_of_id(uint64_t id) {
    struct block_place place = thread_here()->last_block;
    if (place.index && (block_record(place.shift, place.index)->born & BLOCK_ID_MASK) == id)
        return place;
    return thread_here()->last_block = blocks_find(id);
}

WH_EXPORT void __whence_block_by_id(uint64_t id, struct whence_block *out) {
    struct block_place none = {0, 0};
    blocks_read(id ? place_of_id(id) : none, out);
}

static uint64_t pointed(uint64_t id, enum leak_pointers pointers) {
    struct block_place place = place_of_id(id);
    return place.index ? (uint64_t)leak_pointed(place, pointers) : 0;
}

WH_EXPORT uint64_t __whence_pointed(uint64_t id) { return pointed(id, LEAK_ANY); }

WH_EXPORT uint64_t __whence_pointed_begin(uint64_t id) { return pointed(id, LEAK_STRONG); }

WH_EXPORT uint64_t __whence_pointed_lost(uint64_t id) { return pointed(id, LEAK_LOST); }

WH_EXPORT uint64_t __whence_load(uint64_t address, uint64_t width, uint64_t *value) {
    if (width > 8 || port_first_bad(address, width) != address + width) return 0;
    if (!heap_contains(address) && (!os_readable(address) || !os_readable(address + width - 1)))
        return 0;
    *value = 0;
    wh_copy(value, (const void *)address, width);
    return 1;
}
