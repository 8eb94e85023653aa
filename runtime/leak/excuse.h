/* Blocks that the program has excluded from leak checks, and memory that it has added to the roots,
 * as requested by whence/leak.h and sanitizer/lsan_interface.h. */
#ifndef WHENCE_LEAK_EXCUSE_H
#define WHENCE_LEAK_EXCUSE_H

#include "../process/thread.h"

/* Blocks that the thread allocates between these two calls are excused. Calls nest. */
void excuse_begin(struct thread *thread);
void excuse_end(struct thread *thread);
/* Excuses one block of the heap. 0 if no live one contains the address. */
int excuse_block(uintptr_t address);

void excuse_add_root(uintptr_t begin, uint64_t size);
/* 0 if no such region was added. */
int excuse_remove_root(uintptr_t begin, uint64_t size);
int excuse_has_roots(void);
void excuse_roots(void (*visit)(uintptr_t begin, uintptr_t end));

/* Before and after fork: the child must not begin in the middle of a change. */
void excuse_lock(void);
void excuse_unlock(void);

/* Calls `visit` with every excused live block. */
void excuse_blocks(void (*visit)(struct block block));

#endif
