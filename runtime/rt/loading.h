/* Libraries that the program loads while it runs. */
#ifndef WHENCE_RT_LOADING_H
#define WHENCE_RT_LOADING_H

#include <stdint.h>
#include "../process/service.h"

/* Sends the launcher a request about a library that the code at `caller` is about to load; 0 if
 * there is no answer. `room` as for service_begin. */
int loading_ask(struct service_talk *talk, char *room, const char *question, const char *name,
                uintptr_t caller);

/* The loader's own dlopen, of a file that belongs to whence. */
void *dlopen_next(const char *path, int flags);

/* Whether an instrumented library has been loaded so far. */
int loading_any(void);

/* Before and after fork: the child must not begin in the middle of a change to the table. */
void loading_lock(void);
void loading_unlock(void);

#endif
