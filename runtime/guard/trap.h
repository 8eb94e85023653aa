/* Blocks that stay closed while they live (Redzal, section 8: both ends in one run).
 *
 * In the modes both-read and both-write a live block's pages are closed to all accesses, or to
 * writes. Each access traps and is judged by its bytes; then the block is opened, the processor's
 * trap flag is set, the instruction runs, and the trap that follows closes the block again. An
 * instruction that touches several blocks traps once for each before it gets through. System calls
 * get buffers of closed blocks opened for as long as they take (dispatch.h). In the other modes
 * opening a block only keeps it resident (pager.h).
 *
 * Invariants:
 *   - guard_extra.open counts the threads and system calls that have the block open;
 *   - a thread closes what it has opened at its next trap, wherever it is by then;
 *   - while a block is open, other threads' accesses to it are not seen.
 */
#ifndef WHENCE_GUARD_TRAP_H
#define WHENCE_GUARD_TRAP_H

#include <signal.h>
#include "guard.h"
#include "../rt/signals.h"

/* As the kernel takes it. */
struct kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* Whether live blocks are closed. */
static inline int trap_is_on(void) {
    return guard.type == GUARD_BOTH_READ || guard.type == GUARD_BOTH_WRITE;
}

/* What live blocks may be accessed as outside of an access that is let through. */
static inline enum os_access trap_access(void) {
    return guard.type == GUARD_BOTH_READ    ? OS_NONE
           : guard.type == GUARD_BOTH_WRITE ? OS_READ
                                            : OS_READ_WRITE;
}

/* A block that others write to without being seen: its first access may be a read. */
void trap_filled(struct block place);

/* Opens a live block, and keeps it resident, for somebody who closes it again; 0 if it cannot
 * be. */
int trap_open(struct block place);
void trap_close(struct block place);

/* A fault. 1: the instruction is to run again. */
int trap_fault(const siginfo_t *info, void *machine);
/* The trap after an instruction that was let through; 0: another trap. */
int trap_step(void *machine);

/* Bytes of the access that is being judged; 1 where the processor does not tell. */
unsigned trap_width(void);

/* Handlers that return by code of this library; see dispatch.h. */
void trap_install(int number, void (*handler)(int, siginfo_t *, void *));
/* Nobody wants the signal: what happens without us happens now. */
void trap_leave(int number);
/* The signals that closed and packed blocks need, which the program must neither block nor
 * handle. */
uint64_t trap_signals(void);
void trap_init(void);

#endif
