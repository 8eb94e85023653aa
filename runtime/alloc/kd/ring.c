#include "ring.h"
#include "../../os/invariant.h"

static size_t bytes(uint32_t capacity) {
    return sizeof(struct ring) + (size_t)capacity * sizeof(uint64_t);
}

int ring_own(struct books *books, struct ring **ring, uint32_t capacity) {
    struct ring *old = *ring;
    if (old && old->references == 1) return 1;
    WH_INVARIANT(!old || (old->references && old->count <= old->capacity));
    struct ring *fresh = books_new(books, bytes(capacity));
    if (!fresh) return 0;
    fresh->references = 1;
    fresh->capacity = capacity;
    fresh->first = fresh->count = 0;
    for (uint32_t i = 0; old && i < old->count; i++)
        ring_put(fresh, old->value[(old->first + i) % capacity]);
    if (old) old->references--;
    *ring = fresh;
    return 1;
}

void ring_drop(struct books *books, struct ring *ring) {
    WH_INVARIANT(!ring || ring->references);
    if (ring && --ring->references == 0) books_drop(books, ring, bytes(ring->capacity));
}
