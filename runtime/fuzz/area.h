/* The memory that the process shares with the driver, and the counters of edges in it. */
#ifndef WHENCE_FUZZ_AREA_H
#define WHENCE_FUZZ_AREA_H

#include <stddef.h>
#include <stdint.h>
#include "whence_abi.h"

#define AREA(offset) ((void *)(WH_FUZZ_AREA_BASE + (offset)))

static inline struct wh_fuzz *area_control(void) { return AREA(0); }

/* Maps the file, and the program's counters from its end. 0: that is not possible. */
int area_map(int file, uintptr_t counters, size_t size);
/* Whether a range has counters that are mapped. */
int area_overlaps(uintptr_t begin, uintptr_t end);
/* All counts are 0. */
void area_clear(void);
/* The classes of all counts. hash: of all of them. Returns WH_FUZZ_IS_NEW and WH_FUZZ_IS_OTHER if
 * some were not seen before; `keep`: from now on they were. */
unsigned area_look(uint64_t *hash, int keep);

#endif
