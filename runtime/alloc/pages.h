/* The memory behind large blocks that have been freed. A page that was given back costs a fault
 * when it is touched again, which is more than all else about a block; so the last few mebibytes
 * are kept. */
#ifndef WHENCE_ALLOC_PAGES_H
#define WHENCE_ALLOC_PAGES_H

#include <stdint.h>

/* Bytes of freed blocks that may stay backed, all classes together. */
#define PAGES_KEPT (16ull << 20)

/* Nobody needs the contents of these pages of a slot any more. */
void pages_freed(uintptr_t slot, uintptr_t begin, uint64_t size);
/* The slot is about to be used again. */
void pages_reused(uintptr_t slot);
/* The program is about to map something else at some of these pages: they are left alone. */
void pages_claimed(uintptr_t begin, uintptr_t end);

/* Around fork. */
void pages_lock(void);
void pages_unlock(void);

#endif
