/* Who observes events in a library that only places blocks. */
#include "../../process/outside.h"

const struct observer *const port_observers[] = {&outside_observer, NULL};
