/* The bin of large blocks: whole pages, each block in the middle of the gap that was largest,
 * rounded up, at the addresses of KLEE's KDAlloc.
 *
 * A treap ordered by address, whose nodes know the gap behind them and the
 * largest gap below them; shared between clones like the slot trees (tree.h).
 * Its shape is a function of its contents alone.
 */
#ifndef WHENCE_ALLOC_KD_LARGE_H
#define WHENCE_ALLOC_KD_LARGE_H

#include "books.h"

struct large_gap {
    uint64_t begin, size;
};

struct large_node {
    struct large_node *left, *right;
    uint32_t references;
    uint32_t kind;            /* KD_LIVE or KD_QUARANTINED */
    uint64_t begin;           /* of the block and of its pages */
    uint64_t span;            /* bytes of its pages */
    uint64_t size;            /* as requested */
    uint64_t gap;             /* bytes from the last page to the next block's first, or the end */
    struct large_gap largest; /* of this node and all below */
    uint64_t serial, tag;
};

/* Zero-initialised but for begin and gap is valid and empty. */
struct large {
    struct large_node *root;
    uint64_t gap; /* bytes from the bin's begin to the first block, or the end */
    uint64_t begin;
};

/* After this returns 1, so many changing calls cannot fail. */
int large_reserve(struct books *books, unsigned changes);

/* A place for `span` bytes (whole pages) with `zone` unused bytes on both sides; 0 if no gap has
 * it. */
uint64_t large_place(const struct large *large, uint64_t span, uint64_t zone, uint64_t alignment);
/* `block` says begin, span, size, kind, serial and tag; begin is from large_place. */
void large_insert(struct books *books, struct large *large, const struct large_node *block);
void large_remove(struct books *books, struct large *large, uint64_t begin);
/* The block that begins here, for writing kind and tag. */
struct large_node *large_own(struct books *books, struct large *large, uint64_t begin);

/* The last block that begins at or before an address, and the first that begins after it; or
 * NULL. */
const struct large_node *large_before(const struct large *large, uint64_t address);
const struct large_node *large_after(const struct large *large, uint64_t address);

struct large large_share(const struct large *large);
void large_drop(struct books *books, struct large *large);

#endif
