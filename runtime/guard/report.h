/* Findings of the guarded heap, beside those of traps. */
#ifndef WHENCE_GUARD_REPORT_H
#define WHENCE_GUARD_REPORT_H

#include "guard.h"
#include "../rt/event.h"

/* What was written beside a block that is still live; to a freed block whose slot is used again.
 * Whether something was reported. */
int report_damage(struct block place, const struct frame *frame);
int report_damage_freed(struct block place, const struct frame *frame);

/* A finding that no rule of the rule language is about: WH_FIXED_FINDINGS. 0 if it is switched
 * off. */
int report_fixed(struct context *context, uint32_t rule, struct block place);

#endif
