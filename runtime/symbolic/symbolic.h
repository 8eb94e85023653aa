/* Expressions of symbolic values, and the trace of a path: what other folders need. */
#ifndef WHENCE_SYMBOLIC_SYMBOLIC_H
#define WHENCE_SYMBOLIC_SYMBOLIC_H

#include <stddef.h>
#include <stdint.h>

/* Reserves everything. 0, or -errno with the range. `forked` is for children whose fork has called
 * no handlers. */
long symbolic_init(uintptr_t *begin, size_t *size, void (*forked)(void));

/* Lets calls fail, if the options say so. */
void symbolic_failing(void);

#endif
