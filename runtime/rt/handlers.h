/* The program's handlers of signals, where rules ask what they do. */
#ifndef WHENCE_RT_HANDLERS_H
#define WHENCE_RT_HANDLERS_H

#include <signal.h>
#include "../events/events.h"

/* sigaction for a handler of the program: it is called by the runtime while a rule watches it. */
int handlers_set(int number, const struct sigaction *action, struct sigaction *old);
/* Whether one does. */
int handlers_are_watched(void);

extern const struct observer handlers_observer;

#endif
