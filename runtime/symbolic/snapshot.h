/* What the private memory of the process holds, so that it can hold it again: pages are closed to
 * writes, and a page is saved when a path first writes to it. */
#ifndef WHENCE_SYMBOLIC_SNAPSHOT_H
#define WHENCE_SYMBOLIC_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

/* Finds the mappings, and makes room on the stack. 0: they cannot be told, or are too many. */
int snapshot_find(void);
/* What memory holds from now on is what it will hold again; of the stack, what lies above `sp`. The
 * caller runs on another stack. 0: not possible, and all is as before. */
int snapshot_take(uintptr_t sp);
/* The memory holds that again. */
void snapshot_restore(void);
/* All pages are as open as they were before; nothing can be restored any more. */
void snapshot_leave(void);

/* After a fault at an address. 1: it is written to for the first time, is saved, and open now. */
int snapshot_open(uintptr_t address);
/* Before the kernel writes there, or drops pages. 0: these are too many. */
int snapshot_open_range(uintptr_t begin, uint64_t size);
/* Whether a range is memory of the time of the snapshot, or touches it. */
int snapshot_has(uintptr_t begin, uint64_t size);
/* Whether paths are rewound to what the memory held. */
int snapshot_is_taken(void);
/* Whether this path or an earlier one has written to a page; all that have, in the order of their
 * first writes, but for the stack's. */
int snapshot_is_open(uintptr_t page);
const uintptr_t *snapshot_pages(uint32_t *count);
/* The end of the stack if the address lies in it, else 0. */
uintptr_t snapshot_stack_end(uintptr_t address);
/* The text of the mappings as they were. */
const char *snapshot_maps(size_t *size);
/* Whether it lies in private memory that was closed to all accesses. */
int snapshot_was_closed(uintptr_t begin, uint64_t size);

#endif
