/* The last accesses to each granule of memory, as far as threads race for it. */
#ifndef WHENCE_RACES_CELLS_H
#define WHENCE_RACES_CELLS_H

#include <stdint.h>
#include "clocks.h"
#include "whence_abi.h"

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

#define CELL_EPOCH_MASK ((uint64_t)EPOCH_LAST << CELL_STACK_BITS)
#define CELL_LANE_MASK (0xffull << CELL_LANE_SHIFT)
#define CELL_BYTES_MASK (0xffull << CELL_BYTES_SHIFT)

/* Whether whatever conflicts with the access `less`, and is not ordered behind it, does so with
 * `more` as well. */
static inline int cell_covers(uint64_t more, uint64_t less) {
    return !(less & ~more & (CELL_BYTES_MASK | CELL_WRITES)) && !(more & ~less & CELL_ATOMIC);
}

#define CELLS (1u << WH_RACES_CELLS_SHIFT)

/* The cells of a granule; NULL: there are none yet. There are planes. */
static inline const uint64_t *cells_of(uintptr_t granule) {
    if (granule >> WH_ADDRESS_BITS) return NULL;
    const uintptr_t *table = (const uintptr_t *)WH_RACES_TABLE_BASE;
    uintptr_t chunk = __atomic_load_n(&table[granule >> WH_RACES_CHUNK_SHIFT], __ATOMIC_ACQUIRE);
    uint64_t at = (granule & ((1ul << WH_RACES_CHUNK_SHIFT) - 1)) >> WH_GRANULE_SHIFT;
    return chunk ? (const uint64_t *)chunk + at * CELLS : NULL;
}

/* Whether one of the cells has such an access of the same thread in its present epoch: what `word`
 * has may be more there, but for what atomic accesses do not conflict with. */
static inline int cells_have(const uint64_t *cells, uint64_t word) {
    uint64_t alike = CELL_LANE_MASK | CELL_EPOCH_MASK | (word & (CELL_BYTES_MASK | CELL_WRITES)) |
                     (~word & CELL_ATOMIC);
    for (unsigned i = 0; i < CELLS; i++)
        if (!((__atomic_load_n(&cells[i], __ATOMIC_RELAXED) ^ word) & alike)) return 1;
    return 0;
}

/* Whether the thread has made such an access in its present epoch. There are planes. */
static inline int cells_know(uintptr_t granule, uint64_t word) {
    const uint64_t *cells = cells_of(granule);
    return cells && cells_have(cells, word);
}

/* What the caller of cells_access knows: the place of the access, and what is to be done where an
 * earlier one conflicts, that is, is not ordered before the present one. */
struct cell_access {
    uint32_t (*stack)(struct cell_access *access);
    void (*found)(struct cell_access *access, const struct step *earlier);
};

/* Records the access to bytes that no cell has of this epoch yet, after calling `found` for each
 * granule where an earlier one conflicts. `how`: CELL_WRITES, CELL_ATOMIC. */
void cells_access(struct racer *racer, uintptr_t at, uint64_t size, uint64_t how,
                  struct cell_access *access);
/* Nothing is known of the bytes' granules. */
void cells_clear(uintptr_t begin, uint64_t size);

long cells_init(uintptr_t *begin, size_t *size);

#endif
