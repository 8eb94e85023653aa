/* Signals that end the program. */
#ifndef WHENCE_RT_SIGNALS_H
#define WHENCE_RT_SIGNALS_H

#include <signal.h>
#include "../events/events.h"
#include "../process/catching.h"
#include "../process/thread.h"

/* Installs the handlers where the program has the default action. */
void signals_init(void);
/* Whether a signal that the processor makes would end the program, as no handler of its own takes
 * it. */
int signals_end(int number);
/* Each thread has a stack for the handlers. */
extern const struct observer signals_observer;

/* Where a tool stops the program, the registers of each stop lie on the thread's stack for
 * handlers: a leak search that does not run there must not find them. */
void signals_forget(void);
/* Whether faults come to our handler. */
int signals_take_faults(void);
/* Runs the program's handler of a signal that we keep (SIGSYS, SIGTRAP). 0: it has none. */
int signals_hand_on(int number, siginfo_t *info, void *machine);

/* Around fork. */
void signals_lock(void);
void signals_unlock(void);

#endif
