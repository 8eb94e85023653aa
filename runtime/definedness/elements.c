#include "elements.h"
#include "../include/whence/values.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "ranges.h"

/* Bytes of an array of which a copy is made. */
#define MOST (64u << 20)

/* Behind the elements stand two tables: for each hash the first element, and for each element the
 * next one of its hash, both plus 1. */
struct elements {
    uint64_t mapped, count, size, hashes, shift;
    uint8_t room[];
};

uintptr_t elements_begin(const struct elements *kept) {
    return (uintptr_t)kept->room + kept->shift;
}

uint64_t elements_bytes(const struct elements *kept) { return kept->count * kept->size; }

static uintptr_t element(const struct elements *kept, uint64_t i) {
    return elements_begin(kept) + i * kept->size;
}

static uint64_t room_of(uint64_t bytes) {
    return wh_round_up(bytes + WH_GRANULE, sizeof(uint64_t));
}

static uint32_t *firsts(struct elements *kept) {
    return (uint32_t *)(void *)(kept->room + room_of(elements_bytes(kept)));
}

static uint32_t *nexts(struct elements *kept) { return firsts(kept) + kept->hashes; }

static uint32_t *first_of(struct elements *kept, uintptr_t bytes) {
    uint64_t digest = wh_digest(WH_DIGEST_OF_NOTHING, (const void *)bytes, kept->size);
    return firsts(kept) + digest % kept->hashes;
}

struct elements *elements_keep(uintptr_t base, uint64_t count, uint64_t size) {
    if (base < WH_NULL_PAGE_SIZE || !count || !size || size > MOST || count > MOST / size)
        return NULL;
    uint64_t hashes = count + count / 2 + 1;
    uint64_t needed =
        sizeof(struct elements) + room_of(count * size) + (hashes + count) * sizeof(uint32_t);
    uint64_t mapped = wh_round_up(needed, OS_PAGE);
    struct elements *kept = (struct elements *)os_map(mapped);
    if (!kept) return NULL;
    kept->mapped = mapped, kept->count = count, kept->size = size, kept->hashes = hashes;
    kept->shift = base % WH_GRANULE;
    wh_copy((void *)elements_begin(kept), (const void *)base, count * size);
    for (uint64_t i = count; i--;) {
        uint32_t *first = first_of(kept, element(kept, i));
        nexts(kept)[i] = *first;
        *first = (uint32_t)(i + 1);
    }
    return kept;
}

uintptr_t elements_take(struct elements *kept, uintptr_t bytes) {
    uint32_t *at = first_of(kept, bytes);
    for (; *at; at = nexts(kept) + (*at - 1)) {
        uintptr_t found = element(kept, *at - 1);
        if (!wh_same_bytes(found, bytes, kept->size)) continue;
        *at = nexts(kept)[*at - 1];
        return found;
    }
    return 0;
}

void elements_drop(struct elements *kept) { os_unmap((uintptr_t)kept, kept->mapped); }

/* ---- undefined bytes ---- */

struct elements *values_sorting(uintptr_t base, uint64_t count, uint64_t size) {
    if (!VALUES_ON || !count || !size || count > MOST / size ||
        values_are_defined(base, count * size))
        return NULL;
    struct elements *kept = elements_keep(base, count, size);
    if (kept) values_copied(elements_begin(kept), base, count * size);
    return kept;
}

/* What is not found again was changed meanwhile. */
void values_sorted(uintptr_t base, struct elements *kept) {
    if (!kept) return;
    for (uint64_t i = 0; i < kept->count; i++) {
        uintptr_t to = base + i * kept->size, from = elements_take(kept, to);
        if (from) values_copied(to, from, kept->size);
    }
    __whence_value_define(elements_begin(kept), elements_bytes(kept));
    elements_drop(kept);
}
