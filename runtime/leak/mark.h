/* Marks blocks that pointers lead to. */
#ifndef WHENCE_LEAK_MARK_H
#define WHENCE_LEAK_MARK_H

#include "../blocks/blocks.h"

enum mark {
    MARK_REACHED = 1,  /* from the program's memory */
    MARK_SYSTEM = 2,   /* only from the memory of the C and C++ libraries and the loader */
    MARK_INDIRECT = 4, /* only from a block that is itself not reached */
    MARK_CLAIMED = 8,  /* a finding was made about it */
};

/* Room for one byte a slot. 0 if there is no memory. */
int mark_init(void);
void mark_deinit(void);

/* The marks of a slot; the slot must have been cut before mark_init. */
uint8_t *mark_of(struct block_place place);

/* Follows every word of [begin, end) and everything it leads to. The memory
 * must be readable. All MARK_REACHED first, then MARK_SYSTEM. */
void mark_range(uintptr_t begin, uintptr_t end, enum mark mark);

/* After the roots: marks what is reached only from unreached blocks. A cycle
 * keeps one block that is not indirect. */
void mark_indirect(void);

#endif
