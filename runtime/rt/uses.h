/* Uses of undefined values (include/whence/values.h). */
#ifndef WHENCE_RT_USES_H
#define WHENCE_RT_USES_H

#include "event.h"

/* A library function is about to read some bytes on behalf of the program, of which `first` is the
 * first one with undefined bits. */
void use_memory(uintptr_t begin, uint64_t size, uintptr_t first, const char *library,
                const struct frame *frame);

/* The bytes of an argument of a library function, which has stored it. */
void use_argument(uintptr_t address, uint64_t size, const struct frame *frame);

/* Nesting depth; above 0, this thread's library functions report no undefined values. */
extern __thread uint32_t uses_unwatched;

#endif
