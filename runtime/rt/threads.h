/* Threads of the program: numbers, stacks, beginning and end. */
#ifndef WHENCE_RT_THREADS_H
#define WHENCE_RT_THREADS_H

#include "thread.h"

/* Sets up the record of the main thread; no C library is needed. */
void threads_init_main(void);
/* Finds the C library's functions and registers what runs at fork and at the
 * end of a thread. From the constructor. */
void threads_init(void);

/* Where the living part of the main thread's stack begins once main has returned;
 * 0 before that and in other threads. */
uintptr_t threads_stack_after_main(void);

/* First address of the code that starts main and threads, and its end: frames
 * there are ours, not the program's. */
int threads_is_start_code(uint64_t pc);

#endif
