/* What a debugger finds in a checked process: places to stop at, and functions to call while it is
 * stopped.
 *
 * The names begin with whence_debug_. A debugger calls the functions at any stop: they take no lock
 * and allocate nothing.
 */
#ifndef WHENCE_FINDINGS_DEBUGGER_H
#define WHENCE_FINDINGS_DEBUGGER_H

#include <stdint.h>

/* With the option `debug`: waits until a debugger has attached and set whence_debug_attached, or
 * the launcher has ended. */
void debugger_await(void);
/* With the option `attach_wait`: waits for a debugger before a faulty step. Whether there is one.
 */
int debugger_attaches(const char *rule);
/* A finding has been recorded, and the step that it is about comes next. */
void debugger_stop(uint64_t rule);
/* Whether a debugger has switched the rule off. */
int debugger_off(uint64_t rule);

#endif
