/* The two moments the loader gives us: before the program and after it. */
#include "event.h"
#include "signals.h"
#include "threads.h"
#include "../record/record.h"

__attribute__((constructor)) static void begin(void) {
    thread_here();
    threads_init();
    signals_init();
}

/* Every object that uses the runtime depends on it, so this runs after their
 * exit handlers and destructors. */
__attribute__((destructor)) static void end(void) {
    event_end_of_main();
    record_finish();
}
