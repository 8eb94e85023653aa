/* What origins learn of the memory and the threads of the process. */
#ifndef WHENCE_ORIGINS_OBSERVER_H
#define WHENCE_ORIGINS_OBSERVER_H

#include "../events/events.h"

extern const struct observer origins_observer;

#endif
