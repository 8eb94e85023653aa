/* A quarantine: the last so many freed blocks of a bin, first in, first out; shared between
 * clones until one of them changes it. */
#ifndef WHENCE_ALLOC_KD_RING_H
#define WHENCE_ALLOC_KD_RING_H

#include "books.h"

struct ring {
    uint32_t references, capacity;
    uint32_t first, count;
    uint64_t value[];
};

/* Makes the ring this owner's alone, empty if there is none yet; 0 without memory. */
int ring_own(struct books *books, struct ring **ring, uint32_t capacity);
void ring_drop(struct books *books, struct ring *ring);

/* The ring is owned, and neither full nor empty, respectively. */
static inline void ring_put(struct ring *ring, uint64_t value) {
    ring->value[(ring->first + ring->count++) % ring->capacity] = value;
}

static inline uint64_t ring_take(struct ring *ring) {
    uint64_t value = ring->value[ring->first];
    ring->first = (ring->first + 1) % ring->capacity;
    ring->count--;
    return value;
}

#endif
