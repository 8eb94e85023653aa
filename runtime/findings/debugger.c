#include "debugger.h"
#include "../blocks/block.h"
#include "../origins/chains.h"
#include "../origins/log.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../os/trace.h"
#include "../port/port.h"
#include "../record/record.h"
#include "../settings/options.h"
#include "../stacks/depot.h"
#include "rules.h"

#include <sys/syscall.h>

#define LOOK_US 2000u
#define LOOK_RARELY_US 100000u
#define RULES_MOST 512u
#define KEPT __attribute__((used))
#define PLACE __attribute__((used, noinline))

/* Set by the debugger. */
KEPT volatile int whence_debug_attached;
/* One bit for each rule that it has switched off. */
KEPT volatile uint64_t whence_debug_off[RULES_MOST / 64];

/* A breakpoint here is reached at each finding; `rule` is its name. */
PLACE void whence_debug_finding(const char *rule) { __asm__ volatile("" : : "r"(rule) : "memory"); }

void debugger_stop(uint64_t rule) {
    if (options.debug || options.attach_wait) whence_debug_finding(rules_name(rule));
}

int debugger_off(uint64_t rule) {
    return options.debug && rule < RULES_MOST && (whence_debug_off[rule / 64] >> rule % 64 & 1);
}

void debugger_await(void) {
    if (!options.debug || os_call(SYS_getppid, 0, 0, 0, 0, 0, 0) != (long)options.debug) return;
    os_helper_allow(OS_ANYBODY);
    while (!whence_debug_attached && !record_reader_has_ended((uint32_t)options.reader))
        os_sleep_us(LOOK_US);
}

static void say_waiting(const char *why, uint64_t seconds) {
    TEXT(line, 200);
    text_put(&line, why);
    text_put(&line, ": process ");
    text_decimal(&line, os_process());
    text_put(&line, " waits ");
    text_decimal(&line, seconds);
    text_put(&line, seconds == 1 ? " second" : " seconds");
    text_put(&line, " for a debugger (gdb -p ");
    text_decimal(&line, os_process());
    text_put(&line, ")");
    text_complain(&line);
}

int debugger_attaches(const char *rule) {
    uint64_t seconds = options.attach_wait;
    if (!seconds) return 0;
    port_before_debugger();
    if (os_traced()) return 1;
    os_helper_allow(OS_ANYBODY);
    say_waiting(rule, seconds);
    for (uint64_t end = os_now_us() + seconds * 1000000; os_now_us() < end;
         os_sleep_us(LOOK_RARELY_US))
        if (os_traced()) return 1;
    return 0;
}

/* ---- functions to call ---- */

/* The answer of the functions below. */
KEPT struct whence_debug_answer {
    struct whence_block block; /* its id is 0: there is none */
    uint64_t free_thread, n_alloc, n_free;
    uint64_t alloc[WH_ALLOC_FRAMES], free[WH_ALLOC_FRAMES];
    const char *text; /* of a variable, or NULL */
} whence_debug_answer;

static void answer(struct block block) {
    struct whence_debug_answer *out = &whence_debug_answer;
    *out = (struct whence_debug_answer){0};
    block_read(block, &out->block);
    if (!out->block.id) return;
    out->free_thread = block_free_thread(block);
    out->n_alloc = depot_get(block_alloc_stack(block), out->alloc, WH_ALLOC_FRAMES);
    out->n_free = depot_get(block_free_stack(block), out->free, WH_ALLOC_FRAMES);
    out->text = block_text(block);
}

/* The block that contains the address, or the nearest one. */
PLACE void whence_debug_at(uint64_t address) { answer(block_nearest(address)); }

/* The block with this number. */
PLACE void whence_debug_numbered(uint64_t id) { answer(block_find(id)); }

/* The chain of a value in memory, as in records, and the tag of the thread that is asked. */
KEPT struct whence_debug_origin {
    uint32_t thread;
    char text[CHAINS_ROOM];
} whence_debug_origin;

/* Whether it is recorded where values come from. */
PLACE int whence_debug_records(void) { return PORT_PLANES && options.origins; }

/* The rows of ORIGINS in whence's commands for gdb; behind them: the chain is in
 * whence_debug_origin. */
PLACE int whence_debug_chain(uint64_t address, uint64_t size, uint64_t value) {
    struct whence_debug_origin *out = &whence_debug_origin;
    if (!PORT_PLANES || !whence_debug_records()) return 0;
    struct text text = {out->text, sizeof out->text - 1, 0};
    int state = chains_of_memory(address, size, value, &text, &out->thread);
    out->text[text.length] = 0;
    return state;
}

/* A write that is logged: `number` is 0 if there is none, `lost` says how many are not there any
 * more. */
KEPT struct whence_debug_written {
    uint64_t number, address, size, value, whole, clock, lost;
} whence_debug_written;

/* The last write of memory before this one; before 0, the last of all. Its chain is in
 * whence_debug_origin. */
PLACE void whence_debug_write(uint64_t address, uint64_t size, uint64_t before) {
    struct whence_debug_written *out = &whence_debug_written;
    struct text text = {whence_debug_origin.text, sizeof whence_debug_origin.text - 1, 0};
    *out = (struct whence_debug_written){0};
    if (!PORT_PLANES || !whence_debug_records()) return;
    const struct logged_write *write = log_find(address, size, &before);
    out->lost = log_lost();
    if (!write) return;
    *out = (struct whence_debug_written){before,       write->address, write->size, write->value,
                                         write->whole, write->clock,   out->lost};
    chains_of_node(write->node, &text);
    whence_debug_origin.text[text.length] = 0;
}

/* The index of a rule, or -1. */
PLACE int whence_debug_rule(const char *name) {
    for (uint64_t i = 0; rules_current && i < rules_current->rule_count; i++)
        if (wh_same(rules_current->rules[i].name, name)) return (int)i;
    return -1;
}

/* The name of a rule by its index; NULL behind the last. */
PLACE const char *whence_debug_name(uint64_t index) {
    return rules_current && index < rules_current->rule_count ? rules_name(index) : NULL;
}

/* The event clock: the time of the next event. */
PLACE uint64_t whence_debug_clock(void) { return blocks_clock; }
