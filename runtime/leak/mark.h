/* Marks blocks that pointers lead to.
 *
 * A pointer is strong if it points to the begin of a block, or where compilers
 * and libraries are known to point instead. What strong pointers lead to is
 * marked at once; blocks that only other pointers lead to wait until all roots
 * have been read (mark_weak), so that every block is read once.
 */
#ifndef WHENCE_LEAK_MARK_H
#define WHENCE_LEAK_MARK_H

#include "../blocks/block.h"

enum mark {
    MARK_REACHED = 1,  /* from the program's memory, through strong pointers */
    MARK_SYSTEM = 2,   /* from the memory of the C and C++ libraries and the loader */
    MARK_POSSIBLE = 4, /* from the program's memory, but through a pointer into a block's middle */
    MARK_INDIRECT = 8, /* only from a block that is itself not reached */
    MARK_CLAIMED = 16, /* a finding was made about it */
    MARK_EXCUSED = 32, /* the program does not want to hear of it */
    MARK_WAITING = 64, /* a weak pointer was seen */
    MARK_LIVE = 128,   /* the block lived when memory was searched */
};
#define MARK_POINTED (MARK_REACHED | MARK_SYSTEM | MARK_POSSIBLE)

/* Room for one byte a block. 0 if there is no memory. */
int mark_init(void);
void mark_deinit(void);

/* The marks of a block; NULL for one whose room is newer than mark_init. */
uint8_t *mark_of(struct block block);

/* Follows every word of [begin, end) and everything it leads to. The memory
 * must be readable. All MARK_REACHED first, then MARK_SYSTEM. */
void mark_range(uintptr_t begin, uintptr_t end, enum mark mark);
/* The same of a mapped file, which may be shorter than its mapping: pages that cannot be read are
 * left out. */
void mark_file(uintptr_t begin, uintptr_t end, enum mark mark);
/* Marks the live block that holds an address and everything it leads to. */
void mark_block(uintptr_t address, enum mark mark);

/* After all roots: follows the weak pointers that were seen. */
void mark_weak(void);

/* After that: marks what is reached only from unreached blocks. A cycle keeps
 * one block that is not indirect. */
void mark_indirect(void);

/* After that, of a block that is marked so: the lost block that leads to it and
 * that no other lost block leads to. */
struct block mark_head(struct block block);

/* Asked about a pointer into the middle of a live block; told by whoever knows
 * of mappings and stacks. */
extern int (*mark_is_strong)(uintptr_t pointer, struct block block);

#endif
