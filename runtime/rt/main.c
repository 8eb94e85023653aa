/* The two moments the loader gives us: before the program and after it. */
#include "environment.h"
#include "event.h"
#include "images.h"
#include "options.h"
#include "signals.h"
#include "threads.h"
#include "../os/os.h"
#include "../record/record.h"

/* The process has the name of the copy that runs: give it the user's name back. */
static void take_name(const char *word) {
    const char *name = word;
    for (; *word; word++)
        if (*word == '/' && word[1]) name = word + 1;
    if (*name) os_rename(name);
}

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment) {
    thread_here();
    threads_init();
    signals_init();
    images_refresh();
    if (images_main_instrumented() && count > 0) take_name(arguments[0]);
    if (!options.children) environment_restore(environment);
}

/* Every object that uses the runtime depends on it, so this runs after their
 * exit handlers and destructors. */
__attribute__((destructor)) static void end(void) {
    event_end_of_main();
    record_finish();
}
