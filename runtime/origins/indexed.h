/* What pointers and numbers were computed from that the program kept: in a variable, as an argument
 * or a result. */
#ifndef WHENCE_ORIGINS_INDEXED_H
#define WHENCE_ORIGINS_INDEXED_H

#include "nodes.h"
#include "recipes.h"

/* Whether it is known by which index the site computed the pointer last; then it is in `found`. */
int indexed_find(const struct whence_origin_site *site, uintptr_t pointer,
                 struct use_values *found);

/* bits: how many the number has, where it has lost some of the result; upper, exact: the two words
 * of that. 0: it is the result, or that is not known. */
struct computed {
    unsigned count;
    struct use_value operands[WH_ORIGIN_MOST_OPERANDS];
    uint32_t bits;
    uint64_t upper, exact;
};

/* Whether it is known from which operands the site computed the number, which are always the same.
 */
int computed_find(const struct whence_origin_site *site, uint64_t value, struct computed *found);

#endif
