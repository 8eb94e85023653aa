/* Larger stacks in place of the program's small ones for its signal handlers. Frames of checked
 * code have zones, and wrappers need room, so handlers that fit without checks would write over
 * what lies below their stack. */
#ifndef WHENCE_RT_SIGNAL_STACKS_H
#define WHENCE_RT_SIGNAL_STACKS_H

#include <signal.h>

/* The stack that the kernel gets for one that the program gives; the same one where it is large
 * enough, or there is no memory. */
stack_t signal_stacks_given(const stack_t *stack);

/* What the program is told: its own stack, where the kernel tells ours. */
void signal_stacks_told(stack_t *stack);

/* The kernel has no longer this stack, which it told: ours is unmapped, unless a handler ran there:
 * it may have been left by a jump, as a coroutine is that comes back. */
void signal_stacks_left(const stack_t *stack);

/* The calling thread ends, and runs no handler any more: nobody needs what it has of ours. */
void signal_stacks_close_thread(void);

/* Around fork. */
void signal_stacks_lock(void);
void signal_stacks_unlock(void);

#endif
