/* Blocks that are closed while they live, so that one run checks both ends (Redzal, section 8).
 *
 * In the modes both-read and both-write a live block's pages are closed to all accesses, or to
 * writes. Each access traps, and the handler checks the bytes that it accesses. Then the handler
 * opens the block and sets the processor's trap flag; the instruction runs, and the trap after it
 * closes the block again. An instruction that accesses several blocks traps once for each before it
 * completes. Blocks that a system call accesses are open until it returns (dispatch.h). In the
 * other modes an open block is merely resident (pager.h).
 *
 * Invariants:
 *   - guard_extra.open counts the threads and system calls that have the block open;
 *   - a thread closes the blocks that it has opened at its next trap, wherever that is;
 *   - while a block is open, the accesses of other threads to it are not observed.
 */
#ifndef WHENCE_GUARD_TRAP_H
#define WHENCE_GUARD_TRAP_H

#include <signal.h>
#include "guard.h"
#include "../process/catching.h"
#include "../rt/signals.h"

/* Whether live blocks are closed. */
static inline int trap_is_on(void) {
    return guard.type == GUARD_BOTH_READ || guard.type == GUARD_BOTH_WRITE;
}

/* The protection of a live block that is not open. */
static inline enum os_access trap_access(void) {
    return guard.type == GUARD_BOTH_READ    ? OS_NONE
           : guard.type == GUARD_BOTH_WRITE ? OS_READ
                                            : OS_READ_WRITE;
}

/* Marks a block as written, after writes that were not observed: its first access may be a read. */
void trap_filled(struct block place);

/* Opens a live block, and keeps it resident until trap_close; 0 if that is not possible. */
int trap_open(struct block place);
void trap_close(struct block place);

/* Handles a fault. 1: the instruction must run again. */
int trap_fault(const siginfo_t *info, void *machine);
/* Handles the trap after an instruction for which a block was opened; 0: another trap. */
int trap_step(void *machine);

/* The width of the access that is being checked; 1 where the instruction does not give it. */
unsigned trap_width(void);

/* Installs a handler that returns through this library's code; see dispatch.h. */
void trap_install(int number, void (*handler)(int, siginfo_t *, void *));
/* No handler of the program takes the signal: restores its default action and raises it again. */
void trap_leave(int number);
/* The signals that closed and packed blocks need, which the program must neither block nor
 * handle. */
uint64_t trap_signals(void);
void trap_init(void);

#endif
