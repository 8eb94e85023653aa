/* A rule set of one rule, about uses of undefined values. */
#ifndef VALUES_RULES_H
#define VALUES_RULES_H

#include <whence/rules.h>
#include <whence/values.h>

static uint64_t values_use(const struct whence_event *event, uint64_t rule) {
    uint64_t values[] = {event->value, event->other, event->width};
    if (!event->other) return 0;
    __whence_fire(event, rule, 0, 3, values);
    return 1;
}

static const struct whence_rule values_rules[] = {
    {"use", 1ull << WH_POINT_USE, ~0ull, values_use},
};

static const struct whence_rule_set values_set = {WHENCE_RULES_ABI, 1, values_rules, 0, 0};

__attribute__((constructor(101))) static void values_register(void) {
    __whence_register_rules(&values_set);
}

#endif
