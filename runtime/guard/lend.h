/* Blocks of the C library, where ours cannot be had: nothing is known of them but that the
 * program goes on. */
#ifndef WHENCE_GUARD_LEND_H
#define WHENCE_GUARD_LEND_H

#include "../alloc/heap.h"

/* Our address ranges could not be reserved: all blocks are lent. */
extern int lend_everything;
/* Some block was: pointers outside our heap may be the C library's. */
extern int lend_any;

/* Why, and what follows of it; each is told once. */
enum lend_reason { LEND_NO_RANGE, LEND_UNGUARDED, LEND_FOREIGN };
void lend_note(enum lend_reason reason);

/* Early, while there are mappings to be had: the C library's heap can then grow without more. */
void lend_prepare(void);
uintptr_t lend_new(const struct heap_request *request);
void lend_free(void *pointer);
void *lend_resize(void *pointer, size_t size);
size_t lend_size(void *pointer);

static inline int lend_owns(uintptr_t address) { return lend_any && !heap_contains(address); }

#endif
