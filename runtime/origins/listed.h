/* Variable arguments: the nodes that a call passes for them, in the memory where va_start finds
 * them. */
#ifndef WHENCE_ORIGINS_LISTED_H
#define WHENCE_ORIGINS_LISTED_H

#include <stdarg.h>
#include "../include/whence/origins.h"

/* A wrapper with variable arguments, of which the first has this number, has begun a list. */
void listed_begin(struct origins_listed *kept, unsigned first, const va_list list);
void listed_end(struct origins_listed *kept);

#endif
