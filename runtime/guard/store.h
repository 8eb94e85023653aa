/* Bytes of packed blocks, close together: items of whole granules, cut from pages of one size each.
 * Nothing here is a root of a leak search. Callers hold the pager's lock. */
#ifndef WHENCE_GUARD_STORE_H
#define WHENCE_GUARD_STORE_H

#include <stddef.h>
#include <stdint.h>

#define STORE_MOST 1024u /* bytes of an item */

/* Room for 1 to STORE_MOST bytes; NULL if there is no memory. */
void *store_take(uint64_t size);
void store_give(void *item, uint64_t size);

#endif
