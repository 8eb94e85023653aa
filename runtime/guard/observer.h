/* What guarded blocks learn of the blocks, the memory and the threads of the process. */
#ifndef WHENCE_GUARD_OBSERVER_H
#define WHENCE_GUARD_OBSERVER_H

#include "../events/events.h"

extern const struct observer guard_observer;

#endif
