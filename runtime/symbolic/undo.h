/* System calls of a path whose effects on the process can be undone when it has ended. */
#ifndef WHENCE_SYMBOLIC_UNDO_H
#define WHENCE_SYMBOLIC_UNDO_H

#include <stdint.h>

/* Before the first path; 0: the standard streams cannot be kept. */
int undo_prepare(void);
/* Makes the call of a path, if what it does to the process can be undone. 0: it cannot, and was not
 * made. mask: the signal mask of the path. */
int undo_call(long number, const uint64_t *words, uint64_t *mask, long *result);
/* Whether the path has mapped memory, or opened some that was closed, but for what `known` says. */
int undo_has_mapped(int (*known)(uintptr_t begin, uintptr_t end));
/* Undoes all calls of the path; 0, and nothing is, if that is not possible after all. */
int undo_all(void);
/* A descriptor for the process itself, which paths do not get to. The number that it has, or -1. */
int undo_keep(int file);
/* Closes these descriptors. */
void undo_forget(void);

#endif
