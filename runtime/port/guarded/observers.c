/* Who observes events in programs without instrumentation, in the order in which they are called.
 */
#include "../../guard/observer.h"
#include "../../leak/leak.h"
#include "../../process/kind.h"
#include "../../process/outside.h"
#include "../../profile/observer.h"
#include "../../rt/descriptors.h"
#include "../../rt/made.h"
#include "../../rt/signals.h"

const struct observer *const port_observers[] = {
    &leak_observer,        &kind_observer,    &signals_observer,
    &descriptors_observer, &outside_observer, &profile_observer,
    &guard_observer,       &rules_observer,   NULL,
};
