/* Paths of an exploration that run in one process, each from the same begin, search the same roots.
 * What no path has written to since is as it was (symbolic/snapshot.h): the words there that lead
 * into the heap are found once. Each search then reads the pages that some path has written to, the
 * stack, and shared memory. */
#ifndef WHENCE_LEAK_UNCHANGED_H
#define WHENCE_LEAK_UNCHANGED_H

#include "roots.h"

/* Whether the calling path has such a process, and has mapped no memory that is a root. Finds the
 * words if it is the first one. Asked before the search maps memory of its own. */
int unchanged_known(uintptr_t sp);

/* Marks what the roots lead to, those of the system's libraries or the others; visits the stack and
 * shared memory. */
void unchanged_each(uintptr_t sp, int system, roots_visitor *visit);

const struct roots_constants *unchanged_constants(void);

#endif
