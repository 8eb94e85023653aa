/* The last accesses to each granule of memory, as far as threads race for it. */
#ifndef WHENCE_RACES_CELLS_H
#define WHENCE_RACES_CELLS_H

#include <stdint.h>
#include "clocks.h"

/* An access to bytes of one granule. */
struct step {
    uint32_t epoch;
    uint32_t stack; /* a depot handle; 0: not known */
    uint8_t lane, bytes, writes, is_atomic;
};

/* An access by the calling thread, as granules have it: the word without the stack. */
#define CELL_STACK_BITS 26u
#define CELL_LANE_SHIFT (CELL_STACK_BITS + EPOCH_BITS)
#define CELL_BYTES_SHIFT (CELL_LANE_SHIFT + 8)
#define CELL_WRITES (1ull << 62)
#define CELL_ATOMIC (1ull << 63)
static inline uint64_t cell_word(const struct racer *racer, unsigned bytes, uint64_t how) {
    return (uint64_t)racer->epoch << CELL_STACK_BITS | (uint64_t)racer->lane << CELL_LANE_SHIFT |
           (uint64_t)bytes << CELL_BYTES_SHIFT | how;
}

/* What the caller of cells_access knows: the place of the access, and what is to be done where an
 * earlier one conflicts, that is, is not ordered before the present one. */
struct cell_access {
    uint32_t (*stack)(struct cell_access *access);
    void (*found)(struct cell_access *access, const struct step *earlier);
};

/* Records the access to a granule, after calling `found` for an earlier one that conflicts. */
void cells_access(struct racer *racer, uintptr_t granule, uint64_t word,
                  struct cell_access *access);
/* Nothing is known of the bytes' granules. */
void cells_clear(uintptr_t begin, uint64_t size);

long cells_init(uintptr_t *begin, size_t *size);

#endif
