/* The cold path of checked accesses. */
#ifndef WHENCE_RT_ACCESS_H
#define WHENCE_RT_ACCESS_H

#include "event.h"

/* First byte of [address, address+size) that may not be accessed, or
 * address+size (2**47 at most). Exact for the heap; outside it, only what the
 * state plane says of the first megabyte. */
uintptr_t access_first_bad(uintptr_t address, uint64_t size);

/* Quick and careful: 1 only if the whole range is addressable. */
int access_clean(uintptr_t address, uint64_t size);

/* Checks an access of `size` bytes through a pointer derived from `root`. */
void access_check(uintptr_t address, uint64_t size, uintptr_t root, int write, const char *library,
                  const struct frame *frame);

/* Evaluates the rules on an access that the processor refused. The number of findings. */
uint64_t access_trapped(struct context *context, uintptr_t address, int write);

#endif
