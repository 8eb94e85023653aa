/* The slots of a bin: an array of entries as a tree of fan-out 64, shared between clones.
 *
 * A node that more than one parent (or clone) refers to is copied before it is
 * changed, with its whole way up. Each node knows which of its children hold
 * free slots, so the lowest free slot is found in one descent. In a lean tree
 * (unlimited quarantine) a subtree whose slots have all been freed is replaced
 * by TREE_DEAD: it takes no memory, and the sizes in it are forgotten.
 *
 * Invariants:
 *   - a node's `free` bit i is set exactly if child i holds a slot that is KD_FREE;
 *   - children beyond the last cut slot are NULL.
 */
#ifndef WHENCE_ALLOC_KD_TREE_H
#define WHENCE_ALLOC_KD_TREE_H

#include "books.h"

#define TREE_FAN_SHIFT 6u
#define TREE_FAN (1u << TREE_FAN_SHIFT)
#define TREE_LEVELS_MOST 8u
#define TREE_SLOTS_MOST (1ull << (TREE_FAN_SHIFT * TREE_LEVELS_MOST))

struct tree_entry {
    uint64_t size : 48;  /* bytes requested */
    uint64_t place : 13; /* begin of the block in its slot, in units of 16 bytes */
    uint64_t kind : 3;   /* enum kd_kind */
    uint64_t tag;
};
_Static_assert(sizeof(struct tree_entry) == 16, "entry");

struct tree_node {
    uint32_t references;
    uint32_t dead; /* lean trees: children or entries that are dead */
    uint64_t free;
    uint64_t in[]; /* TREE_FAN children, or entries in a leaf */
};

/* Zero-initialised is valid and empty. */
struct tree {
    struct tree_node *root; /* NULL, TREE_DEAD or a node */
    uint32_t levels;        /* 0: no root; 1: the root is a leaf */
};

/* All slots below were freed and will not be used again. */
#define TREE_DEAD ((struct tree_node *)1)

/* After this returns 1, so many tree_own cannot fail. */
int tree_reserve(struct books *books, unsigned changes);

/* The entry of slot n for writing, made if it is new. Not for slots below TREE_DEAD. */
struct tree_entry *tree_own(struct books *books, struct tree *tree, uint64_t n);
/* For reading; NULL if there is none. *dead is set if it is below TREE_DEAD. */
const struct tree_entry *tree_find(const struct tree *tree, uint64_t n, int *dead);

/* After the kind of an owned entry was changed: keeps the invariants above. */
void tree_mark_free(struct tree *tree, uint64_t n, int is_free);
/* Slot n will not be used again: its entry may be forgotten. */
void tree_bury(struct books *books, struct tree *tree, uint64_t n);

/* The lowest n that is free; 0 if there is none. */
int tree_lowest_free(const struct tree *tree, uint64_t *n);

struct tree tree_share(const struct tree *tree);
void tree_drop(struct books *books, struct tree *tree);

#endif
