/* Functions of the program that are called for each block, as sanitizer/allocator_interface.h says.
 */
#ifndef WHENCE_REPLACE_HOOKS_H
#define WHENCE_REPLACE_HOOKS_H

#include <stddef.h>
#include <stdint.h>
#include "../events/events.h"

typedef void (*hook_made)(const volatile void *begin, size_t size);
typedef void (*hook_freed)(const volatile void *begin);

/* How many pairs there can be, beside the functions that a program defines by their names. */
#define HOOKS_MOST 5

/* Looks for the functions that the program defines. From the constructor. */
void hooks_init(void);
/* The number of the pair, from 1 on; 0 if there are HOOKS_MOST already. */
int hooks_add(hook_made made, hook_freed freed);

/* Calls them. What they allocate themselves is not shown to them. */
extern const struct observer hooks_observer;

/* Around fork. */
void hooks_lock(void);
void hooks_unlock(void);

#endif
