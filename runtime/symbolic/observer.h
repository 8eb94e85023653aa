/* What expressions learn of the memory of the process. */
#ifndef WHENCE_SYMBOLIC_OBSERVER_H
#define WHENCE_SYMBOLIC_OBSERVER_H

#include "../events/events.h"

extern const struct observer symbolic_observer;

#endif
