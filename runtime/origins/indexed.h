/* The indexes by which pointers were computed that the program kept: in a variable, as an argument
 * or a result. */
#ifndef WHENCE_ORIGINS_INDEXED_H
#define WHENCE_ORIGINS_INDEXED_H

#include "nodes.h"
#include "recipes.h"

/* Whether it is known by which index the site computed the pointer last; then it is in `found`. */
int indexed_find(const struct whence_origin_site *site, uintptr_t pointer,
                 struct use_values *found);

#endif
