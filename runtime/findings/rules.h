/* The rule set of the process, and the points that it watches. */
#ifndef WHENCE_FINDINGS_RULES_H
#define WHENCE_FINDINGS_RULES_H

#include <stdint.h>
#include "../include/whence/rules.h"
#include "../port/port.h"

/* What has been registered; NULL: nothing yet. */
extern const struct whence_rule_set *rules_current;
/* The number of a function that rules watch; UINT64_MAX if none does. */
uint64_t rules_function(const char *name);
/* That of `main`. */
extern uint64_t rules_main;

/* The rules until others are registered. */
void rules_assume(const struct whence_rule_set *set);
/* From now on registered rules are not used. */
void rules_decline(void);

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

const char *rules_name(uint64_t index);
/* The step at a point in one word: "read", "free". */
const char *rules_noun(uint64_t point);

#endif
