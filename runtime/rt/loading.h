/* Libraries that the program loads while it runs. */
#ifndef WHENCE_RT_LOADING_H
#define WHENCE_RT_LOADING_H

#include <stdint.h>
#include "../process/service.h"

/* Asks the launcher about a library that `caller`, an address in the program, wants
 * to load; 0 if there is no answer. `room` as for service_begin. */
int loading_ask(struct service_talk *talk, char *room, const char *question, const char *name,
                uintptr_t caller);

/* Whether an instrumented library has been loaded so far. */
int loading_any(void);

/* Before fork: no other thread may be in the middle of a change to our table. */
void loading_lock(void);
void loading_unlock(void);

#endif
