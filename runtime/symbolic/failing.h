/* Calls that fail: on an explored path of whence explore --max-fail, which decides it, and where a
 * test of such a path is run again. */
#ifndef WHENCE_SYMBOLIC_FAILING_H
#define WHENCE_SYMBOLIC_FAILING_H

#include <stdint.h>

/* Which of `count` ways to fail the next call of this function takes on this path, from 1 on; 0: it
 * does not fail. NULL: no paths are explored. */
extern unsigned (*failing_chosen)(const char *name, unsigned count, uint64_t pc);

/* The error with which this call fails, one of the list, which ends with 0; 0: it does not. */
int failing(const char *name, const int *errors, uint64_t pc);

#endif
