/* Stacks that the program gave to makecontext: memory that it declares to be one stack. */
#ifndef WHENCE_PROCESS_CONTEXTS_H
#define WHENCE_PROCESS_CONTEXTS_H

#include <stdint.h>

struct stack_bounds;

/* makecontext has written the address to which the function returns at `top`, which is
 * the high end of a stack that begins at `low`. */
void contexts_made(uintptr_t low, uintptr_t top);

/* The bounds of the stack to whose context the code at a stack pointer belongs; 0 if it is none of
 * those known. */
int contexts_stack_of(uintptr_t sp, struct stack_bounds *stack);

#endif
