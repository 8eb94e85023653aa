/* Events at detection points, and their way through the rules. */
#ifndef WHENCE_RT_EVENT_H
#define WHENCE_RT_EVENT_H

#include "thread.h"
#include "../port/port.h"

/* An event and what the rules need not know of it. Evaluators get a pointer to
 * the first member and hand it back to __whence_fire. */
struct context {
    struct whence_event event;
    const struct frame *frame; /* where the program stood: its return address comes first */
    struct walk trap;          /* instead of that: the registers at a trap */
    const char *library;       /* the library function that made the access, or NULL */
    uint64_t bad;              /* first byte of the access that is not addressable, or 0 */
    uint64_t beyond; /* bytes of the access behind the end of all addresses: not in its width */
    uint32_t flags;  /* WH_FLAG_* */
    uint32_t signal;
    uint64_t findings;   /* made so far */
    uintptr_t stack_low; /* the program uses its stack from here up; 0: from where we are */
    uint64_t told;       /* blocks that a leak check tells of for the first time */
    int collect;         /* findings with a witness are gathered by allocation stack */
    uint32_t check;      /* WH_CHECK_*: this is a leak check; nothing is stopped */
    uint64_t pc;         /* where a signal interrupted this thread, or 0 */
};

/* Rules that hold as long as nobody registers others. */
void event_assume_rules(const struct whence_rule_set *set);

/* Bit (1 << WH_POINT_*) for each point at which a rule is evaluated. */
extern uint64_t event_points;
static inline int event_watched(uint64_t point) {
    return PORT_CHECKS && ((__atomic_load_n(&event_points, __ATOMIC_RELAXED) >> point) & 1);
}
/* Points (bit 1 << WH_POINT_*) where a rule wants to see what is in order, too. */
extern uint64_t event_every;
static inline int event_watched_every(uint64_t point) {
    return PORT_CHECKS && ((event_every >> point) & 1);
}

const char *event_rule_name(uint64_t index);
/* The step at a point in one word: "read", "free". */
const char *event_noun(uint64_t point);

/* Evaluates the rules of the event's point in order, until one fires; all of
 * them when findings are collected. The number of findings. */
uint64_t event_evaluate(struct context *context);

/* Evaluates what holds at the end of main: at that end, or as if it were here.
 * `context` says where the program stands. 0 if no rule asks for that. */
int event_leak_check(struct context *context, uint32_t check);

#endif
