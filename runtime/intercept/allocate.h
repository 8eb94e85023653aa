/* Allocation as all families share it. */
#ifndef WHENCE_INTERCEPT_ALLOCATE_H
#define WHENCE_INTERCEPT_ALLOCATE_H

#include "../rt/thread.h"

/* Instrumented code calls __whence_NAME: no other library can take that over, and
 * the optimiser knows nothing of it. */
#define ALIAS(name)                                                                                \
    __asm__(".globl __whence_" #name "\n"                                                          \
            ".type __whence_" #name ", @function\n"                                                \
            ".set __whence_" #name ", " #name "\n")

/* A new block, or NULL with errno. Fills in stack and thread. */
void *allocate(struct heap_request *request, const struct frame *frame);

/* Frees, or reports what is wrong with that. */
void release(void *pointer, uint8_t family, const struct frame *frame);

#endif
