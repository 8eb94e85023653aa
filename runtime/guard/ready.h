/* Whether blocks of this process may be packed: everything that could see their closed pages, at
 * once or later, has to be caught. */
#ifndef WHENCE_GUARD_READY_H
#define WHENCE_GUARD_READY_H

#include <stdint.h>

/* Prepares it: system calls of this thread and its successors are caught, the signals that this
 * needs are blocked nowhere. 0: not possible. */
int ready_for_packing(void);

/* A system call after which memory is used in ways that are not caught. */
int ready_ends_by(long number, const uint64_t *words);

#endif
