/* Blocks of other kinds than the heap's: who keeps them, as block.h asks for them.
 *
 * A provider keeps the blocks of a range of addresses and numbers them from 1 up, below
 * 2**BLOCK_SLOT_BITS. A number stays with a room: when the block has been freed, a new one may get
 * it. Ids are times of blocks_tick, so that no two blocks share one. Which bytes of the range may
 * be accessed, the state plane alone says. The functions are called by any thread, also while
 * another one changes the blocks, and with signals at any point: they neither lock nor allocate.
 */
#ifndef WHENCE_BLOCKS_PROVIDER_H
#define WHENCE_BLOCKS_PROVIDER_H

#include "block.h"

struct block_provider {
    uintptr_t begin, end; /* no other provider's, and not the heap's */
    uint64_t kind;        /* WH_KIND_* of all its blocks */
    /* The number of the block in whose room the address lies, and of the used one that is nearest;
     * 0: none. The address lies in the range. */
    uint64_t (*around)(uintptr_t address);
    uint64_t (*nearest)(uintptr_t address);
    /* All numbers are below this. */
    uint64_t (*count)(void);
    /* Fills zeroed facts, in which the kind stands; row.id 0 if the room was never used. */
    void (*read)(uint64_t number, struct block_facts *facts);
};

/* Adds a row, which must last. 0 if the range is empty or overlaps another one's, or there is no
 * room for a row. Called before there are threads. */
int blocks_provide(const struct block_provider *provider);

#endif
