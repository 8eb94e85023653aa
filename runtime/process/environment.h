/* What the launcher put into the environment, and taking it out again.
 *
 * The program sees the environment that the user gave it, and so do the
 * processes it starts, however it starts them: they run as they are. With the
 * option `children` everything stays, and the children are checked as well.
 * Variables of the user that had to be changed (LD_PRELOAD, LD_LIBRARY_PATH) are
 * there a second time, behind WH_ORIGINAL_PREFIX.
 */
#ifndef WHENCE_RT_ENVIRONMENT_H
#define WHENCE_RT_ENVIRONMENT_H

#include <stddef.h>

/* Restores the environment in place; the vector keeps its address. */
void environment_restore(char **environment);

/* Whether a NAME=value is one that the launcher sets. */
int environment_is_ours(const char *entry);

/* What was there at the start: NAME=value, NULL after the last. */
const char *environment_ours(size_t index);

/* The value of a variable, NULL if it is not there. */
const char *environment_value(char *const *environment, const char *name);

#endif
