#include "rules.h"
#include "../events/events.h"
#include "../labels/births.h"
#include "../labels/plane.h"
#include "../races/cells.h"
#include "../races/clocks.h"
#include "../os/mem.h"
#include "../os/text.h"
#include "../process/thread.h"
#include "../definedness/contents.h"

const struct whence_rule_set *rules_current;
uint64_t event_every;
uint64_t event_points;
uint64_t rules_main = UINT64_MAX;

/* ---- the rule set ---- */

uint64_t rules_function(const char *name) {
    if (!rules_current) return UINT64_MAX;
    for (uint64_t i = 0; i < rules_current->function_count; i++)
        if (wh_same(rules_current->function_names[i], name)) return i;
    return UINT64_MAX;
}

/* What judges uses of undefined values needs their plane. */
static void reserve_values(void) {
    uintptr_t begin;
    size_t size;
    long result = values_init(&begin, &size);
    if (result < 0) port_no_range("definedness plane", result, begin, size);
    observers_listen(&values_observer);
}

/* So do rules that name labels of domains. */
static void reserve_labels(const struct whence_rule_set *set) {
    uintptr_t begin;
    size_t size;
    long result = labels_init(&begin, &size);
    if (result < 0) port_no_range("plane of labels", result, begin, size);
    labels_begin(set);
    observers_listen(&labels_observer);
}

/* So do rules about threads that share memory. */
static void reserve_races(void) {
    uintptr_t begin;
    size_t size;
    long result = cells_init(&begin, &size);
    if (result >= 0) result = clocks_init(&begin, &size);
    if (result < 0) port_no_range("plane of accesses by threads", result, begin, size);
}

static void take_rules(const struct whence_rule_set *set) {
    uint64_t points = 0;
    uint64_t every = 0;
    for (uint64_t i = 0; i < set->rule_count; i++) {
        points |= set->rules[i].points;
        if (set->rules[i].points & WHENCE_RULE_EVERY) every |= set->rules[i].points;
    }
    rules_current = set;
    rules_main = rules_function("main");
    event_every = every;
    if (PORT_PLANES && points & WH_POINTS_FOLLOWED) reserve_values();
    if (PORT_PLANES && set->label_count) reserve_labels(set);
    if (PORT_PLANES && points >> WH_POINT_SHARE & 1) reserve_races();
    observers_watch(points);
    __atomic_store_n(&event_points, points, __ATOMIC_RELEASE);
}

static const struct whence_rule_set *assumed;

void rules_assume(const struct whence_rule_set *set) {
    if (rules_current) return;
    assumed = set;
    take_rules(set);
}

static int declined;

void rules_decline(void) { declined = 1; }

WH_EXPORT void __whence_register_rules(const struct whence_rule_set *set) {
    static int second;
    thread_here();
    if (declined) return;
    if (set->abi != WHENCE_RULES_ABI) {
        TEXT(message, 200);
        text_put(&message, "the rules were compiled for version ");
        text_decimal(&message, set->abi);
        text_put(&message, " of the runtime's interface, not ");
        text_decimal(&message, WHENCE_RULES_ABI);
        text_put(&message, "; instrument the program again");
        port_give_up(&message);
    }
    if (rules_current != assumed) {
        if (rules_current != set)
            rt_note(&second, "a second rule set was loaded and is not used: one process has one");
        return;
    }
    take_rules(set);
}

const char *rules_name(uint64_t index) {
    if (rules_current && index < rules_current->rule_count) return rules_current->rules[index].name;
    switch (index) {
#define X(number, name, option)                                                                    \
    case number: return name;
        WH_FIXED_FINDINGS(X)
#undef X
    default: return "signal";
    }
}

const char *rules_noun(uint64_t point) {
    switch (point) {
#define X(number, noun)                                                                            \
    case number: return noun;
        WH_POINTS(X)
#undef X
    default: return "event";
    }
}
