/* Which blocks a live pointer leads to, and findings about many blocks at once. */
#ifndef WHENCE_LEAK_LEAK_H
#define WHENCE_LEAK_LEAK_H

#include "../rt/finding.h"

/* Around the evaluation of one event; nested calls are not allowed. */
void leak_begin(const struct context *context);
/* Makes one finding for each rule and allocation stack that was collected. */
void leak_end(struct context *context);

/* Adds a witness block. A block belongs to the first rule that fires for it. */
void leak_collect(struct context *context, const struct witness *witness);

/* Whether registers, stacks, thread-local storage or globals lead to the block,
 * through live blocks. The search runs at the first call for an event. */
int leak_pointed(struct block_place place);

#endif
