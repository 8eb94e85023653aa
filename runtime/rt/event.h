/* The way of events through the rules. */
#ifndef WHENCE_RT_EVENT_H
#define WHENCE_RT_EVENT_H

#include "../findings/context.h"
#include "../findings/rules.h"

/* Evaluates the rules of the event's point in order, until one fires; all of
 * them when findings are collected. The number of findings. */
uint64_t event_evaluate(struct context *context);

/* Evaluates the rules of the end of main here and now (`check`: WH_CHECK_*),
 * unless nobody asks for that or this thread is in the middle of a finding.
 * `context` says where the program stands. The number of blocks that no check
 * told of before. */
uint64_t event_leak_check(struct context *context, uint32_t check);
/* No check is wanted any more, at the end least of all. */
void event_no_more_checks(void);

#endif
