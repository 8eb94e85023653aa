/* Findings about many blocks at once, and leak checks. */
#ifndef WHENCE_LEAK_LEAK_H
#define WHENCE_LEAK_LEAK_H

#include "../events/events.h"
#include "../findings/finding.h"

/* Must be called before and after the evaluation of one event; calls do not nest. */
void leak_begin(const struct context *context);
/* Makes one finding for each rule, allocation stack and kind of leak that was
 * collected. A leak check writes its totals, too. */
void leak_end(struct context *context);

/* Adds a witness block. Only the first rule that fires for a block gets it, and only the first leak
 * check at which it fires reports it. */
void leak_collect(struct context *context, const struct witness *witness);

/* Whether pointers lead to a block through live blocks: any pointers; those by which Valgrind calls
 * a block "still reachable"; those in blocks that are lost themselves. The search runs at the first
 * call for an event. */
enum leak_pointers { LEAK_ANY, LEAK_STRONG, LEAK_LOST };
int leak_pointed(struct block block, enum leak_pointers pointers);

/* The totals of the last check; all 0 before the first. */
extern struct wh_leaks leak_last;

/* Knows the stacks of threads, and marks the blocks of a child of fork as inherited, because the
 * parent reports them, too. */
extern const struct observer leak_observer;
/* In the child of a fork whose other threads are gone: what nothing leads to may have been in their
 * registers, and is no leak of the child. What the parent has lost, it reports itself. Large heaps
 * are searched when the child uses the runtime next, as most children execute a program at once. */
void leak_excuse_lost(void);

/* Before and after fork: the child must not begin in the middle of a search. */
void leak_lock(void);
void leak_unlock(void);

#endif
