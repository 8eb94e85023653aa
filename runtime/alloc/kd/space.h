/* What a space and a state are made of; the parts of kdalloc.h see it, nobody else. */
#ifndef WHENCE_ALLOC_KD_SPACE_H
#define WHENCE_ALLOC_KD_SPACE_H

#include "../../os/mem.h"
#include "../../os/os.h"
#include "../kdalloc.h"
#include "books.h"
#include "large.h"
#include "release.h"
#include "ring.h"
#include "tree.h"

/* Which addresses the slots of a bin have, relative to its begin. The same in every region but for
 * `bits` and `slots`. */
struct bin_geometry {
    uint64_t begin; /* from the region's begin */
    uint64_t slot;  /* most bytes of a block; 0: the bin of large blocks */
    uint64_t size;  /* bytes of addresses */
    uint64_t slots;
    unsigned bits;  /* log2 of size; of large blocks 0 */
    unsigned pitch; /* log2 of the least distance between two slots */
};

struct region {
    uint64_t begin, size; /* size 0: none */
    int32_t quarantine;
    int reserved; /* the range is ours to give back */
    struct bin_geometry bin[KD_BINS_MOST + 1];
};

struct kd_space {
    struct os_lock lock;
    struct kd_config config;
    unsigned bins; /* the large one included */
    struct region region[KD_REGIONS];
    struct books books;
    uint64_t states;
    struct release release;
};

/* The books of one bin. */
struct bin {
    struct tree tree;
    struct ring *held; /* n, or the begins of large blocks */
    uint64_t cut, live, in_quarantine, free, live_bytes;
};

struct kd_state {
    struct kd_space *space;
    struct large large[KD_REGIONS];
    struct bin bin[]; /* space->bins for each region */
};

static inline struct bin *state_bin(struct kd_state *state, unsigned region, unsigned bin) {
    return &state->bin[region * state->space->bins + bin];
}

static inline int is_large_bin(const struct kd_space *space, unsigned bin) {
    return space->config.layout == KD_SPREAD && bin + 1 == space->bins;
}

static inline size_t state_bytes(const struct kd_space *space) {
    return sizeof(struct kd_state) + KD_REGIONS * space->bins * sizeof(struct bin);
}

/* The region that holds an address; KD_REGIONS if none does. */
unsigned space_region(const struct kd_space *space, uint64_t address);
/* The bin of an address in a region; `bins` if it is in none. */
unsigned space_bin(const struct kd_space *space, const struct region *region, uint64_t address);

/* Where an address is: kd_locate, with the space locked. state.c */
void state_find(struct kd_state *state, uint64_t address, struct kd_location *out);

/* ---- geometry: config.c ---- */

/* Fills in the bins of all regions. NULL, or a sentence that says what does not fit. */
const char *geometry_init(struct kd_space *space);
/* Address of slot n. */
uint64_t slot_address(const struct kd_space *space, unsigned region, unsigned bin, uint64_t n);
/* The n of the slot in whose cell an address lies; UINT64_MAX in a cell without slot. */
uint64_t slot_index(const struct kd_space *space, unsigned region, unsigned bin, uint64_t address);
/* The bin for a request; `bins` if no bin takes it. */
unsigned bin_for(const struct kd_space *space, unsigned region, uint64_t size, uint64_t alignment);
/* Bytes from the slot's begin to the block's. */
uint64_t block_offset(const struct kd_space *space, unsigned bin, uint64_t n, uint64_t size,
                      uint64_t alignment);

#endif
