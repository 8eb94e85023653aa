/* `qsort` moves elements: what was known of each is known of it where it is afterwards. */
#include "../include/whence/origins.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "cells.h"

/* Bytes of an array that is followed; of longer ones it is said that the function has written them.
 */
#define MOST (64u << 20)

/* The elements as they were, which have cells as the originals had. Behind them stand two tables:
 * for each hash the first element, and for each element the next one of its hash, both plus 1. */
struct sorting {
    uint64_t mapped, count, size, hashes;
    uint8_t elements[];
};

static uint8_t *element(struct sorting *kept, uint64_t i) {
    return kept->elements + i * kept->size;
}

static uint64_t bytes_of(const struct sorting *kept) { return kept->count * kept->size; }

static uint32_t *firsts(struct sorting *kept) {
    return (uint32_t *)(void *)(kept->elements + wh_round_up(bytes_of(kept), sizeof(uint64_t)));
}

static uint32_t *nexts(struct sorting *kept) { return firsts(kept) + kept->hashes; }

static uint32_t *first_of(struct sorting *kept, const void *bytes) {
    uint64_t digest = wh_digest(WH_DIGEST_OF_NOTHING, bytes, kept->size);
    return firsts(kept) + digest % kept->hashes;
}

WH_EXPORT struct sorting *__whence_origin_sorting(struct whence_origin_site *site, uint64_t base,
                                                  uint64_t count, uint64_t size) {
    if (base < WH_NULL_PAGE_SIZE || !count || !size || size > MOST || count > MOST / size)
        return NULL;
    uint64_t hashes = count + count / 2 + 1;
    uint64_t needed = sizeof(struct sorting) + wh_round_up(count * size, sizeof(uint64_t)) +
                      (hashes + count) * sizeof(uint32_t);
    uint64_t mapped = wh_round_up(needed, OS_PAGE);
    struct sorting *kept = (struct sorting *)os_map(mapped);
    if (!kept) return NULL;
    kept->mapped = mapped, kept->count = count, kept->size = size, kept->hashes = hashes;
    wh_copy(kept->elements, (const void *)base, count * size);
    __whence_origin_copy(site, (uintptr_t)kept->elements, base, count * size);
    for (uint64_t i = count; i--;) {
        uint32_t *first = first_of(kept, element(kept, i));
        nexts(kept)[i] = *first;
        *first = (uint32_t)(i + 1);
    }
    return kept;
}

/* An element that was equal to these bytes, and is not found again; NULL: there is none. */
static const uint8_t *take(struct sorting *kept, const void *bytes) {
    uint32_t *at = first_of(kept, bytes);
    for (; *at; at = nexts(kept) + (*at - 1)) {
        const uint8_t *found = element(kept, *at - 1);
        if (!wh_same_bytes((uintptr_t)found, (uintptr_t)bytes, kept->size)) continue;
        *at = nexts(kept)[*at - 1];
        return found;
    }
    return NULL;
}

WH_EXPORT void __whence_origin_sorted(struct whence_origin_site *site, uint64_t base,
                                      uint64_t count, uint64_t size, struct sorting *kept) {
    if (!kept) {
        if (base >= WH_NULL_PAGE_SIZE && count && size && size <= ~0ull / count)
            cells_written(site, base, count * size);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        uintptr_t to = base + i * size;
        const uint8_t *from = take(kept, (const void *)to);
        if (from)
            cells_move(to, (uintptr_t)from, size);
        else
            cells_written(site, to, size);
    }
    cells_forget((uintptr_t)kept->elements, count * size);
    os_unmap((uintptr_t)kept, kept->mapped);
}
