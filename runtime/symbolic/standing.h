/* Memory of a process that runs one path after the other which stays as it is between paths. It
 * lies at addresses of its own, so it is no part of what a path finds, and no root of leak
 * searches. */
#ifndef WHENCE_SYMBOLIC_STANDING_H
#define WHENCE_SYMBOLIC_STANDING_H

#include <stdint.h>
#include "whence_abi.h"

/* Offsets in the reserved range. The first page is shared with the process that forks. */
enum {
    STANDING_RUN = 0,
    STANDING_REWIND = 0x1000,
    STANDING_PROCESSOR = 0xF000,
    STANDING_UNDO = 0x10000,
    STANDING_SNAPSHOT = 0x20000,
    STANDING_STACK = 0x100000,
    STANDING_STACK_END = 0x180000,
    STANDING_REQUEST = 0x180000,
    STANDING_MAPS = 0x200000,
    STANDING_MAPS_END = 0x300000,
    STANDING_PAGES = 0x400000,
    STANDING_UNCHANGED = 0x800000,
    STANDING_UNCHANGED_END = 0x1000000,
};

#define STANDING(offset) ((void *)(WH_SYMBOLIC_REWIND_BASE + (offset)))
#define STANDING_ROOM(offset, end) ((size_t)((end) - (offset)))

#endif
