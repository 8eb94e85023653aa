/* Removes the variables that the launcher has put into the environment.
 *
 * The program sees the environment that the user gave it, and so do the processes that it starts:
 * those run without the runtime. With the option `children` the variables stay, and the children
 * are checked as well. Where the launcher changes a variable of the user (LD_PRELOAD,
 * LD_LIBRARY_PATH), it saves the user's value under the name with WH_VARIABLE_PREFIX before it.
 */
#ifndef WHENCE_SETTINGS_ENVIRONMENT_H
#define WHENCE_SETTINGS_ENVIRONMENT_H

#include <stddef.h>

/* Restores the environment in place; the vector keeps its address. */
void environment_restore(char **environment);

/* Whether the launcher sets the variable of an entry NAME=value. */
int environment_is_ours(const char *entry);

/* The user's entry that the launcher has saved in this one; NULL for another entry. */
const char *environment_users(const char *entry);

/* The launcher's entries NAME=value that environment_restore has removed, by index; NULL after the
 * last. */
const char *environment_ours(size_t index);

/* The value of a variable, NULL if it is not set. */
const char *environment_value(char *const *environment, const char *name);

#endif
