/* The interface that block.h calls for blocks of other kinds than the heap's.
 *
 * A provider manages the blocks in a range of addresses. It numbers them from 1 up, those that are
 * counted below 2**BLOCK_SLOT_BITS. A number belongs to a room: the next block in the same room has
 * the same number. Ids are times of blocks_tick, so that no two blocks share one. The state plane
 * alone decides which bytes of the range may be accessed. Any thread calls these functions at any
 * time, also from a signal handler and while another thread changes the blocks: they neither lock
 * nor allocate.
 */
#ifndef WHENCE_BLOCKS_PROVIDER_H
#define WHENCE_BLOCKS_PROVIDER_H

#include "block.h"

/* Where the rooms of a provider lie, and by what they are found. */
enum rooms {
    ROOMS_APART,
    ROOMS_INNER,      /* in other blocks: by block_inner alone */
    ROOMS_HANDED_OUT, /* anywhere: by block_handed_out alone, while this thread searches for leaks
                       */
};

struct block_provider {
    uintptr_t begin, end; /* overlaps neither the heap nor another provider's range, but: */
    uint64_t kind;        /* WH_KIND_* of all its blocks */
    /* Whether the address is in a room, where the range holds much else; such a range may overlap
     * others and the tables of the heap. NULL: all addresses of the range are. */
    int (*holds)(uintptr_t address);
    enum rooms rooms; /* those that are not apart need holds */
    /* For an address in the range: the number of the block in whose room it lies, and of the
     * nearest block, live or freed; 0: none. */
    uint64_t (*around)(uintptr_t address);
    uint64_t (*nearest)(uintptr_t address);
    /* A bound: all numbers are below it. NULL: they are found by address alone. */
    uint64_t (*count)(void);
    /* Of ROOMS_HANDED_OUT: this thread begins to search for leaks, or ends. In between, `nearest`
     * is the first block that ends behind an address. */
    void (*search)(int begins);
    /* Fills in facts that are zero except for row.kind; leaves row.id 0 if the room was never used.
     */
    void (*read)(uint64_t number, struct block_facts *facts);
};

/* Adds a provider; keeps the pointer. 0 if its range is empty or overlaps another one, or there are
 * BLOCK_PROVIDERS_MOST already. No two threads may call it at a time. */
int blocks_provide(const struct block_provider *provider);

#endif
