/* Threads of the program: numbers, stacks, beginning and end. */
#ifndef WHENCE_RT_THREADS_H
#define WHENCE_RT_THREADS_H

#include "thread.h"

/* Sets up the record of the main thread; no C library is needed. */
void threads_init_main(void);
/* Finds the C library's functions and registers what runs at fork and at the
 * end of a thread. From the constructor. */
void threads_init(void);

/* At the end of the process: where the living part of the calling thread's stack
 * begins if its program code has returned, 0 if not. */
uintptr_t threads_stack_after_end(void);

/* First address of the code that starts main and threads, and its end: frames
 * there are ours, not the program's. */
int threads_is_start_code(uint64_t pc);

#endif
