/* A dense store for the bytes of packed blocks: a page contains items of one size, in whole
 * granules. Leak searches do not read it. Callers hold the pager's lock. */
#ifndef WHENCE_GUARD_STORE_H
#define WHENCE_GUARD_STORE_H

#include <stddef.h>
#include <stdint.h>

#define STORE_MOST 1024u /* the most bytes of an item */

/* Allocates 1 to STORE_MOST bytes; NULL if there is no memory. */
void *store_take(uint64_t size);
void store_give(void *item, uint64_t size);

#endif
