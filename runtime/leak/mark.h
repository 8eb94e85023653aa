/* The mark phase of a leak search.
 *
 * A pointer is strong if it points to the begin of a block, or to a place inside it that compilers
 * and libraries are known to use instead; other pointers into a block are weak. Blocks that strong
 * pointers lead to are marked at once. Blocks that only weak pointers lead to are queued until all
 * roots have been read (mark_weak), so that every block is read once.
 */
#ifndef WHENCE_LEAK_MARK_H
#define WHENCE_LEAK_MARK_H

#include "../blocks/block.h"

enum mark {
    MARK_REACHED = 1,  /* from the program's memory, through strong pointers */
    MARK_SYSTEM = 2,   /* from the memory of the C and C++ libraries and the loader */
    MARK_POSSIBLE = 4, /* from the program's memory, but through a pointer into a block's middle */
    MARK_INDIRECT = 8, /* only from a block that is itself not reached */
    MARK_CLAIMED = 16, /* a rule has fired for it */
    MARK_EXCUSED = 32, /* the program has excluded it from leak checks */
    MARK_WAITING = 64, /* queued, because a weak pointer leads to it */
    MARK_LIVE = 128,   /* the block was live when memory was searched */
};
#define MARK_POINTED (MARK_REACHED | MARK_SYSTEM | MARK_POSSIBLE)

/* Allocates one byte of marks for each block. 0 if there is no memory. */
int mark_init(void);
void mark_deinit(void);

/* The marks of a block; NULL for one whose room is newer than mark_init. */
uint8_t *mark_of(struct block block);

/* Follows every word of [begin, end) and everything it leads to. The memory
 * must be readable. All MARK_REACHED first, then MARK_SYSTEM. */
void mark_range(uintptr_t begin, uintptr_t end, enum mark mark);
/* The same for memory that no block governs. */
void mark_words(uintptr_t begin, uintptr_t end, enum mark mark);
/* The same for a mapped file, which may be shorter than its mapping: skips unreadable pages. */
void mark_file(uintptr_t begin, uintptr_t end, enum mark mark);
/* Marks the live block that holds an address and everything it leads to. */
void mark_block(uintptr_t address, enum mark mark);

/* Blocks of which the program hands out parts are in use, and what they hold beside those. */
void mark_arenas(void);

/* Called after all roots: marks the queued blocks and everything they lead to. */
void mark_weak(void);

/* Called after mark_weak: marks the blocks that only unreached blocks lead to. One block of each
 * cycle stays without MARK_INDIRECT. */
void mark_indirect(void);

/* Called after mark_indirect, for a block with MARK_INDIRECT: the lost block that leads to it and
 * to which no other lost block leads. */
struct block mark_head(struct block block);

/* Decides whether a pointer into the middle of a live block is strong. The search sets this
 * function, because it knows mappings and stacks. */
extern int (*mark_is_strong)(uintptr_t pointer, struct block block);

#endif
