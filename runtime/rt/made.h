/* New blocks, shown to the rules. */
#ifndef WHENCE_RT_MADE_H
#define WHENCE_RT_MADE_H

#include "../events/events.h"

extern const struct observer rules_observer;

#endif
