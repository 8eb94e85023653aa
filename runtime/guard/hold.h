/* Keeps the blocks that a system call accesses open and resident until the call has returned.
 *
 * These are the blocks that its arguments point to, those that the structures of known calls point
 * to, and those that any word in the structure of an ioctl points to. If there are more than
 * HOLD_MOST, all blocks are opened. */
#ifndef WHENCE_GUARD_HOLD_H
#define WHENCE_GUARD_HOLD_H

#include "guard.h"

#define HOLD_MOST 256u

struct hold {
    struct block places[HOLD_MOST];
    unsigned count;
    int everything;
};

/* Opens the blocks that a call with these six arguments accesses. `hold` need not be initialised.
 */
void hold_call(struct hold *hold, long number, const uint64_t *words);
void hold_address(struct hold *hold, uintptr_t address);
void hold_release(struct hold *hold);

#endif
