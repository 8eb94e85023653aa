/* Blocks that a system call of the program gets: open, and resident, for as long as it takes.
 *
 * Arguments lead to blocks, and so do the structures of known calls and, word for word, those of
 * requests to drivers. What is more than can be held opens everything. */
#ifndef WHENCE_GUARD_HOLD_H
#define WHENCE_GUARD_HOLD_H

#include "guard.h"

#define HOLD_MOST 256u

struct hold {
    struct block places[HOLD_MOST];
    unsigned count;
    int everything;
};

/* Holds what the six arguments of a call lead to. `hold` is empty before. */
void hold_call(struct hold *hold, long number, const uint64_t *words);
void hold_address(struct hold *hold, uintptr_t address);
void hold_release(struct hold *hold);

#endif
