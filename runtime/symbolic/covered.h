/* The bytes of the program's lines, which its code sets when a path comes there. */
#ifndef WHENCE_SYMBOLIC_COVERED_H
#define WHENCE_SYMBOLIC_COVERED_H

#include <stdint.h>

/* Maps them from the file of the traces, behind the trace, if it has room: so they stay when paths
 * end, and the driver sees them. 0 if that fails. */
int covered_map(int file);
/* The number of one of them by its address, from 1 on; 0 if it is none of the program's. */
uint32_t covered_number(uint64_t at);
/* Whether a range of memory touches them. */
int covered_overlaps(uintptr_t begin, uintptr_t end);

#endif
