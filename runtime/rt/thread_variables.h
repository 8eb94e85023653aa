/* Thread-local variables of instrumented images as blocks. */
#ifndef WHENCE_RT_THREAD_VARIABLES_H
#define WHENCE_RT_THREAD_VARIABLES_H

#include "../events/events.h"

/* From the constructor of the runtime: finds out where the images of the start have theirs. */
void thread_variables_init(void);

/* Closes the zones in a thread that begins, and opens them again where it ends, or is missing in a
 * child of fork. */
extern const struct observer thread_variables_observer;

#endif
