/* Findings about many blocks at once, and leak checks. */
#ifndef WHENCE_LEAK_LEAK_H
#define WHENCE_LEAK_LEAK_H

#include "../findings/finding.h"

/* Around the evaluation of one event; nested calls are not allowed. */
void leak_begin(const struct context *context);
/* Makes one finding for each rule, allocation stack and kind of leak that was
 * collected. A leak check writes its totals, too. */
void leak_end(struct context *context);

/* Adds a witness block. A block belongs to the first rule that fires for it, and
 * is told of by the first leak check that finds it so. */
void leak_collect(struct context *context, const struct witness *witness);

/* Whether pointers lead to a block through live blocks: any; those that hold it
 * as Valgrind's "still reachable"; those in blocks that are lost themselves. The
 * search runs at the first call for an event. */
enum leak_pointers { LEAK_ANY, LEAK_STRONG, LEAK_LOST };
int leak_pointed(struct block block, enum leak_pointers pointers);

/* What the last check counted; all 0 before the first. */
extern struct wh_leaks leak_last;

/* In the child of a fork: what it has now is its parent's to tell of, too. */
void leak_forked(void);

/* Around fork: no search may be going on in the child. */
void leak_lock(void);
void leak_unlock(void);

#endif
