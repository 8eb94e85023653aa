/* Planes with more than a byte for each granule: a table leads from the upper bits of an address to
 * a chunk of cells, which is made when something is first written there. */
#ifndef WHENCE_PLANES_CHUNKS_H
#define WHENCE_PLANES_CHUNKS_H

#include <stddef.h>
#include <stdint.h>
#include "../os/os.h"
#include "whence_abi.h"

/* A cell of 1 << cell_shift bytes is for 1 << unit_shift bytes of memory, a chunk for 1 <<
 * chunk_shift. `slack`: bytes behind a chunk's cells. `used`: bytes of all chunks so far. */
struct chunk_plane {
    uintptr_t table, chunks;
    uint64_t size;
    unsigned unit_shift, chunk_shift, cell_shift, slack;
    uint64_t *used;
};

static inline uint64_t chunk_cells(const struct chunk_plane *plane) {
    return 1ull << (plane->chunk_shift - plane->unit_shift + plane->cell_shift);
}

static inline uintptr_t *chunk_entry(const struct chunk_plane *plane, uintptr_t address) {
    return (uintptr_t *)plane->table + (address >> plane->chunk_shift);
}

static inline int chunk_covers(uintptr_t address) { return address >> WH_ADDRESS_BITS == 0; }

/* Reserves the table and the room for chunks. 0, or -errno with the range. */
static inline long chunks_reserve(const struct chunk_plane *plane, uintptr_t *begin, size_t *size) {
    *begin = plane->table;
    *size = (1ull << (WH_ADDRESS_BITS - plane->chunk_shift)) * sizeof(uintptr_t);
    long result = os_reserve(*begin, *size, OS_READ_WRITE);
    if (result < 0) return result;
    *begin = plane->chunks;
    *size = plane->size;
    return os_reserve(*begin, *size, OS_READ_WRITE);
}

/* Never given back: a thread that finds another's chunk in the table has used up one for nothing.
 */
static inline uintptr_t chunk_take(const struct chunk_plane *plane) {
    uint64_t size = wh_round_up(chunk_cells(plane) + plane->slack, OS_PAGE);
    uint64_t end = __atomic_add_fetch(plane->used, size, __ATOMIC_RELAXED);
    if (end > plane->size) return 0;
    uintptr_t made = plane->chunks + end - size;
    if (plane->slack) wh_fill((void *)(made + chunk_cells(plane)), 0xff, plane->slack);
    return made;
}

/* The begin of the chunk of an address; 0 if there is none, and none can be made or is wanted. */
static inline uintptr_t chunk_of(const struct chunk_plane *plane, uintptr_t address, int make) {
    if (!chunk_covers(address)) return 0;
    uintptr_t *entry = chunk_entry(plane, address);
    uintptr_t known = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
    if (known || !make) return known;
    uintptr_t made = chunk_take(plane);
    if (!made) return 0;
    return __atomic_compare_exchange_n(entry, &known, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
               ? made
               : known;
}

static inline uint64_t chunk_index(const struct chunk_plane *plane, uintptr_t address) {
    return (address & ((1ull << plane->chunk_shift) - 1)) >> plane->unit_shift;
}

/* The cell of an address; NULL as `chunk_of` is 0. */
static inline void *chunk_cell(const struct chunk_plane *plane, uintptr_t address, int make) {
    uintptr_t chunk = chunk_of(plane, address, make);
    return chunk ? (void *)(chunk + (chunk_index(plane, address) << plane->cell_shift)) : NULL;
}

#endif
