/* Whether blocks of this process may be packed. Packed blocks have closed pages, so the runtime
 * must intercept every access to them, also by the kernel. */
#ifndef WHENCE_GUARD_READY_H
#define WHENCE_GUARD_READY_H

#include <stdint.h>

/* Prepares packing: intercepts the system calls of this thread and of those it will create, and
 * unblocks the signals that this needs. 0 if packing is not possible. */
int ready_for_packing(void);

/* Whether a system call leads to accesses that cannot be intercepted, so that packing must end. */
int ready_ends_by(long number, const uint64_t *words);

#endif
