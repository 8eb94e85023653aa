/* The kind of memory at an address that no block contains, too: stack, global or elsewhere. */
#ifndef WHENCE_PROCESS_KIND_H
#define WHENCE_PROCESS_KIND_H

#include <stdint.h>
#include "../events/events.h"

/* Adds the calling thread's stack, with the bounds in thread_self. */
void kind_stack_born(void);
/* Adds those of threads that begin, and removes those of threads that end. */
extern const struct observer kind_observer;

struct stack_bounds;
/* The bounds of the thread's stack that holds the address; 0 if none does. */
int kind_stack_of(uintptr_t address, struct stack_bounds *stack);

struct thread;
/* The thread whose stack holds the address; NULL if none does. It may end. */
const struct thread *kind_thread_of(uintptr_t address, struct stack_bounds *stack, uint32_t *tid);

/* Whether the address lies in the runtime's own code or data. */
int kind_in_runtime(uintptr_t address);

/* WH_KIND_* */
uint64_t kind_of(uintptr_t address);

#endif
