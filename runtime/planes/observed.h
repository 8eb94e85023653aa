/* Where the tool and the runtime keep undefined bits and their origins (whence.abi.observed). */
#ifndef WHENCE_PLANES_OBSERVED_H
#define WHENCE_PLANES_OBSERVED_H

#include "whence_abi.h"

#define OBSERVED_HIGH_SIZE (WH_OBSERVED_VALUES_END - WH_OBSERVED_VALUES_BEGIN)
/* The system's own memory for programs lies at the end. */
#define OBSERVED_LAST 0x7F0000000000ull
#define OBSERVED_LAST_SIZE 0x10000000000ull

/* Of memory at the begin of the address space, of the heap, and of the system's memory. */
#define OBSERVED_LOW_BITS (0 ^ WH_OBSERVED_VALUES_FLIP)
#define OBSERVED_HIGH_BITS (WH_OBSERVED_VALUES_BEGIN ^ WH_OBSERVED_VALUES_FLIP)
#define OBSERVED_LAST_BITS (OBSERVED_LAST ^ WH_OBSERVED_VALUES_FLIP)
#define OBSERVED_LOW_TAGS (0 ^ WH_OBSERVED_TAGS_FLIP)
#define OBSERVED_HIGH_TAGS (WH_OBSERVED_VALUES_BEGIN / 2 ^ WH_OBSERVED_TAGS_FLIP)

/* Of the last writers. */
#define OBSERVED_LOW_WRITERS (0 ^ WH_OBSERVED_WRITERS_FLIP)
#define OBSERVED_HIGH_WRITERS (WH_OBSERVED_WRITERS_BEGIN / 2 ^ WH_OBSERVED_WRITERS_FLIP)

#endif
