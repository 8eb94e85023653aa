/* Data races: accesses to the same bytes by threads that nothing orders. */
#ifndef WHENCE_RACES_RACES_H
#define WHENCE_RACES_RACES_H

#include <stddef.h>
#include <stdint.h>
#include "../events/events.h"
#include "../include/whence/races.h"

/* A function of the C library, called by checked code, accesses these bytes. */
void races_range(uintptr_t at, uint64_t size, int writes, const char *function,
                 const struct frame *frame);

/* What this thread has done is before what those do who acquire the object after it. */
void races_release(uintptr_t object);
void races_acquire(uintptr_t object);
/* It has read from a descriptor, or waited for one. */
void races_arrived(void);

#define RACES_ON WH_UNLIKELY(__whence_racing)

extern const struct observer races_observer;

#endif
