/* Counts what happens to blocks of the heap, where the option `profile` wants it. */
#ifndef WHENCE_PROFILE_OBSERVER_H
#define WHENCE_PROFILE_OBSERVER_H

#include "../events/events.h"

extern const struct observer profile_observer;

#endif
