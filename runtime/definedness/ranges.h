/* The definedness of ranges of memory: the functions of include/whence/values.h, and what the
 * runtime's own parts need of them. */
#ifndef WHENCE_VALUES_RANGES_H
#define WHENCE_VALUES_RANGES_H

#include <stddef.h>
#include "granule.h"
#include "../port/port.h"

/* Whether undefined values are followed; else there is no plane. */
extern uint32_t values_on;
#define VALUES_ON (PORT_PLANES && WH_UNLIKELY(__atomic_load_n(&values_on, __ATOMIC_RELAXED)))

/* Reserves the plane and the details. 0, or -errno and the range that could not be reserved. */
long values_init(uintptr_t *begin, size_t *size);

/* Bytes were copied, by code that says nothing of it. */
void values_copied(uintptr_t to, uintptr_t from, uint64_t size);

/* Bytes are undefined and keep their contents. */
void values_forget(uintptr_t address, uint64_t size, uint64_t origin);

/* Undefined bits are about to be noted at an address: the thread keeps the lowest one of its stack
 * since control last arrived from frames that were left, as its complement. */
static inline void values_mark(uintptr_t address) {
    uint64_t *depth = &__whence_values.memory.depth;
    if (~address > *depth && address >= (uintptr_t)__builtin_frame_address(0)) *depth = ~address;
}

/* How many bytes have no defined bit; the origin of the first one. */
uint64_t values_unwritten(uintptr_t address, uint64_t size, uint64_t *origin);

/* Quick, and reads the plane alone: 1 only if all bytes are defined; 0 says nothing. */
int values_are_defined(uintptr_t address, uint64_t size);

/* The first byte of a range with an undefined bit, or the range's end. */
uintptr_t values_first(uintptr_t address, uint64_t size);

#endif
