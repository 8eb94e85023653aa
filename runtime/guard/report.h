/* Findings of the guarded heap that no trap causes. */
#ifndef WHENCE_GUARD_REPORT_H
#define WHENCE_GUARD_REPORT_H

#include "guard.h"
#include "../rt/event.h"

/* Report writes beside a block that is still live, and to a freed block whose slot is allocated
 * again. Whether there was a finding. */
int report_damage(struct block place, const struct frame *frame);
int report_damage_freed(struct block place, const struct frame *frame);

/* Reports one of WH_FIXED_FINDINGS, which no rule of the rule language describes. 0 if it is
 * switched off. */
int report_fixed(struct context *context, uint32_t rule, struct block place);

#endif
