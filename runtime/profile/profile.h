/* The profile of this process: its file, and a row of it for each stack (whence.abi.profile). */
#ifndef WHENCE_PROFILE_PROFILE_H
#define WHENCE_PROFILE_PROFILE_H

#include "table.h"

struct thread;

/* Makes the file, beside the record. Without one nothing is counted, and a note says so. */
void profile_begin(void);

/* From here to profile_leave, the table is the calling thread's. NULL: there is no profile, or a
 * signal has interrupted this thread's own change of it; then the event counts as missed. `inherit`
 * is called first in a child of fork, which gets a file of its own: it tells the table of all live
 * blocks but the one that begins at `except`. */
typedef void profile_inherit(const struct table *table, uintptr_t except);
const struct table *profile_enter(struct thread *thread, profile_inherit *inherit,
                                  uintptr_t except);
void profile_leave(struct thread *thread);

/* The row of a stack of the depot, for who has entered. */
uint32_t profile_row(uint32_t stack);
/* An event cannot be counted. */
void profile_miss(void);
/* In the child of a fork. */
void profile_forked(void);

#endif
