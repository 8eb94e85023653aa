/* The addresses of functions that rules watch. */
#ifndef WHENCE_RT_WATCHED_H
#define WHENCE_RT_WATCHED_H

#include <stdint.h>

/* The number of a watched function without IR, where checked code calls it by this address;
 * `number` is what the code knows of it, UINT64_MAX for a call through a pointer. UINT64_MAX if no
 * rule watches it, or if it reports its calls itself. */
uint64_t watched_outside(uint64_t number, uintptr_t callee);

#endif
