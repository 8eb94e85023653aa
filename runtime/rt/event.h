/* The way of events through the rules. */
#ifndef WHENCE_RT_EVENT_H
#define WHENCE_RT_EVENT_H

#include "../findings/context.h"
#include "../findings/rules.h"

/* Evaluates the rules of the event's point in order. The number of findings. */
uint64_t event_evaluate(struct context *context);

/* Has the event evaluated behind the access that comes next, if that is at its address. */
void event_put_off(const struct whence_event *event);
/* Evaluates it where the access has been judged; `context` is the place of the access. */
void event_catch_up(const struct context *context);

/* Evaluates the rules of the end of main here and now (`check`: WH_CHECK_*),
 * unless no rule needs that or this thread is reporting a finding. `context` is the
 * place in the program. Returns the number of blocks that no earlier check reported. */
uint64_t event_leak_check(struct context *context, uint32_t check);
/* Turns off all later leak checks, the one at the end included. */
void event_no_more_checks(void);

#endif
