/* The two moments the loader gives us: before the program and after it. */
#include "../settings/environment.h"
#include "../process/images.h"
#include "../process/program.h"
#include "../settings/options.h"
#include "signals.h"
#include "threads.h"
#include "../leak/leak.h"
#include "../origins/given.h"
#include "../findings/finding.h"
#include "event.h"
#include "../os/os.h"
#include "../record/record.h"

#include <stdlib.h>
#include <unistd.h>

static void end(void);
static void end_quickly(void);
static void last(int status, void *unused);

/* What the constructor of the rule set does; there if a rule set is loaded at the start. */
__attribute__((weak)) void __whence_register(void);

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment) {
    thread_here();
    threads_init();
    signals_init();
    at_quick_exit(end_quickly); /* the first to be registered is the last to run */
    on_exit(last, NULL);
    images_refresh();
    thread_find_own_memory();
    port_begin(count, arguments);
    /* Code of .preinit_array runs next: after this function, and before the rule set's own. */
    if (__whence_register) __whence_register();
    if (ORIGINS_ON) given_start(arguments, environment);
    program_name_auxiliary(environment);
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
    announce_finishes();
    record_finish();
}

static void end_quickly(void) {
    end();
    if (finding_hold(WH_STATUS_UNKNOWN)) os_exit((int)options.exitcode);
}

/* Runs after `end`, because the loader registers the destructors after the constructors have run.
 * Output of the program comes before the report. A second call of `exit` runs what is left. */
static void last(int status, void *unused) {
    (void)unused;
    if (finding_is_held()) finding_flush();
    if (finding_hold((status & 0xff) << 8)) exit((int)options.exitcode);
}

WH_EXPORT _Noreturn void _exit(int status) {
    os_exit(finding_hold((status & 0xff) << 8) ? (int)options.exitcode : status);
}

WH_EXPORT _Noreturn void _Exit(int status) { _exit(status); }
