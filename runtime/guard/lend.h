/* Blocks from the C library's allocator, for requests that the guarded heap cannot serve. They are
 * not checked. */
#ifndef WHENCE_GUARD_LEND_H
#define WHENCE_GUARD_LEND_H

#include "../alloc/heap.h"

/* The address ranges could not be reserved: the C library allocates all blocks. */
extern int lend_everything;
/* The C library has allocated a block: pointers outside the guarded heap may be its blocks. */
extern int lend_any;

/* Tells the report that lend_everything holds, and why. */
void lend_all(void);
/* The reasons for some blocks. lend_note writes one sentence for each, once. */
enum lend_reason { LEND_UNGUARDED, LEND_FOREIGN };
void lend_note(enum lend_reason reason);

/* Makes the C library create its heap while mappings are available; later it can grow without more.
 */
void lend_prepare(void);
uintptr_t lend_new(const struct heap_request *request);
void lend_free(void *pointer);
void *lend_resize(void *pointer, size_t size);
size_t lend_size(void *pointer);

static inline int lend_owns(uintptr_t address) { return lend_any && !heap_contains(address); }

#endif
