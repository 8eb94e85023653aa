/* The two moments the loader gives us: before the program and after it. */
#include "../settings/environment.h"
#include "../process/images.h"
#include "../settings/options.h"
#include "signals.h"
#include "threads.h"
#include "../leak/leak.h"
#include "event.h"
#include "../os/os.h"
#include "../record/record.h"

#include <stdlib.h>

static void end(void);

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment) {
    thread_here();
    threads_init();
    signals_init();
    at_quick_exit(end); /* the first to be registered is the last to run */
    images_refresh();
    port_begin(count, arguments);
    if (!options.children) environment_restore(environment);
}

/* `_exit` ends a program without a leak check: that is its purpose, and a child of fork
 * that calls it would report its parent's blocks.
 *
 * Every object that uses the runtime depends on it, so this runs after their
 * exit handlers and destructors. */
__attribute__((destructor)) static void end(void) {
    struct context context = {0};
    event_leak_check(&context, WH_CHECK_END);
    record_finish();
}
