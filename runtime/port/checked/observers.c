/* Who observes events in checked programs, in the order in which they are called: origins pass on a
 * thread's argument after all that has been called before its function; hooks, which are the
 * program's, come last. Races
 * ask which locks a thread holds before that changes. */
#include "../../interface/poison.h"
#include "../../labels/births.h"
#include "../../leak/leak.h"
#include "../../origins/observer.h"
#include "../../process/gaps.h"
#include "../../process/kind.h"
#include "../../process/outside.h"
#include "../../profile/observer.h"
#include "../../rt/races.h"
#include "../../replace/hooks.h"
#include "../../rt/descriptors.h"
#include "../../rt/handlers.h"
#include "../../rt/lives.h"
#include "../../rt/meetings.h"
#include "../../rt/made.h"
#include "../../rt/orders.h"
#include "../../rt/pasts.h"
#include "../../rt/signals.h"
#include "../../rt/thread_variables.h"
#include "../../symbolic/observer.h"
#include "../../definedness/contents.h"

const struct observer *const port_observers[] = {
    &leak_observer,
    &kind_observer,
    &gaps_observer,
    &signals_observer,
    &thread_variables_observer,
    &descriptors_observer,
    &handlers_observer,
    &races_observer,
    &lives_observer,
    &orders_observer,
    &pasts_observer,
    &meetings_observer,
    &outside_observer,
    &profile_observer,
    &poison_observer,
    &values_observer,
    &labels_observer,
    &symbolic_observer,
    &origins_observer,
    &rules_observer,
    &hooks_observer,
    NULL,
};
