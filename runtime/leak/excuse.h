/* Blocks that the program does not want to hear of, and memory that it wants
 * searched, as requested by whence/leak.h and sanitizer/lsan_interface.h. */
#ifndef WHENCE_LEAK_EXCUSE_H
#define WHENCE_LEAK_EXCUSE_H

#include "../process/thread.h"

/* Blocks that the thread allocates between the two are excused. They nest. */
void excuse_begin(struct thread *thread);
void excuse_end(struct thread *thread);
/* 0 if no live block holds the address. */
int excuse_block(uintptr_t address);

void excuse_add_root(uintptr_t begin, uint64_t size);
/* 0 if no such region was added. */
int excuse_remove_root(uintptr_t begin, uint64_t size);
void excuse_roots(void (*visit)(uintptr_t begin, uintptr_t end));

/* Around fork: no list may be half changed in the child. */
void excuse_lock(void);
void excuse_unlock(void);

/* Calls `visit` with every excused block that lives. */
void excuse_blocks(void (*visit)(struct block block));

#endif
