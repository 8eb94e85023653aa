/* The two moments the loader gives us: before the program and after it. */
#include "environment.h"
#include "images.h"
#include "options.h"
#include "signals.h"
#include "threads.h"
#include "../leak/leak.h"
#include "../os/os.h"
#include "../record/record.h"
#ifdef WH_GUARD
#include "../preload/start.h"
#endif

#include <stdlib.h>

#ifndef WH_GUARD /* there, no copy runs */
/* The process has the name of the copy that runs: give it the user's name back. */
static void take_name(const char *word) {
    const char *name = word;
    for (; *word; word++)
        if (*word == '/' && word[1]) name = word + 1;
    if (*name) os_rename(name);
}
#endif

static void end(void);

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment) {
    thread_here();
    threads_init();
    signals_init();
    at_quick_exit(end); /* the first to be registered is the last to run */
    images_refresh();
#ifdef WH_GUARD
    (void)count, (void)arguments;
    preload_begin();
#else
    if (images_main_instrumented() && count > 0) take_name(arguments[0]);
#endif
    if (!options.children) environment_restore(environment);
}

/* `_exit` ends a program without us: it asks for that, and a child of fork that
 * does so is about to report what belongs to its parent.
 *
 * Every object that uses the runtime depends on it, so this runs after their
 * exit handlers and destructors. */
__attribute__((destructor)) static void end(void) {
    struct context context = {0};
    leak_check(&context, WH_CHECK_END);
    record_finish();
}
