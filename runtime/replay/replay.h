/* The library that is preloaded into programs as they are, so that they get the heap addresses of a
 * recorded run: the allocator of checked processes and its malloc (intercept/malloc.c,
 * intercept/new.c), and nothing else. No rule, no record, no plane, no stack.
 *
 * It is told what the runtime is told (WHENCE_RT, see abi/options.py), and takes
 * that out of the environment again. Equal options and equal requests, in equal
 * order on every thread, give equal addresses in both libraries: slots.c and
 * heap.c are the same files, and a thread's cache ends with the same destructor.
 */
#ifndef WHENCE_REPLAY_REPLAY_H
#define WHENCE_REPLAY_REPLAY_H

#include "../rt/thread.h"

/* Makes the calling thread give its cache back when it ends. */
void replay_begin_thread(struct thread *thread);

#endif
