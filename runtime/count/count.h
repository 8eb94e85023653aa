/* Counting what the C library's allocator gives and takes. */
#ifndef WHENCE_COUNT_COUNT_H
#define WHENCE_COUNT_COUNT_H

#include "../stacks/unwind.h"

struct thread;

/* Makes the table of blocks; 0: there is no memory for it. */
int count_begin(void);
/* A block of malloc for the caller of a function with this frame; NULL if there is no memory. */
void *count_new(size_t size, const struct frame *frame);
/* The first event of a thread, in the function with this frame. */
void count_thread(struct thread *thread, const struct frame *frame);

#endif
