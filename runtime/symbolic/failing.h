/* Calls that fail: on an explored path of whence explore --max-fail, which decides it, and where a
 * test of such a path is run again. */
#ifndef WHENCE_SYMBOLIC_FAILING_H
#define WHENCE_SYMBOLIC_FAILING_H

#include <stdint.h>
#include "../os/mem.h"
#include "../port/port.h"

/* Which of `count` ways to fail the next call of this function takes on this path, from 1 on; 0: it
 * does not fail. NULL: no paths are explored. */
extern unsigned (*failing_chosen)(const char *name, unsigned count, uint64_t pc);

/* The error with which this call fails, one of the list, which ends with 0; 0: it does not. */
int failing(const char *name, const int *errors, uint64_t pc);

/* Whether requests of memory may fail: on explored paths, and where a test has such failures. */
extern int failing_memory_on;
#define FAILING_MEMORY (!PORT_GUARDS && WH_UNLIKELY(failing_memory_on))

/* main begins, and with it what a test says of calls. */
void failing_begin(void);

/* Whether the next request of memory fails that the code at this address makes, unless it is the C
 * library's own. name: FAILING_MALLOC for malloc and its like, FAILING_NEW. */
#define FAILING_MALLOC "failure of malloc"
#define FAILING_NEW "failure of new"
extern unsigned (*failing_memory_chosen)(const char *name, uint64_t pc);
int failing_memory(const char *name, uint64_t pc);

#endif
