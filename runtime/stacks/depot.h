/* Hash-consed stack traces: equal stacks are kept once and named by a u32.
 *
 * The depot never forgets and takes no lock: a new entry is written in full
 * before a compare-and-swap puts it at the head of its bucket.
 */
#ifndef WHENCE_STACKS_DEPOT_H
#define WHENCE_STACKS_DEPOT_H

#include <stddef.h>
#include <stdint.h>

#define DEPOT_CACHE_SIZE 256u

/* The stacks that a thread met last, by hash. Zero-initialised. */
struct depot_cache {
    struct {
        uint64_t hash;
        uint32_t handle;
    } entries[DEPOT_CACHE_SIZE];
};

long depot_init(uintptr_t *begin, size_t *size);

/* Starting value and step of the hash that names a stack. */
#define DEPOT_HASH_INIT 0x2545f4914f6cdd1dull
static inline uint64_t depot_hash_step(uint64_t hash, uint64_t pc) {
    return (hash ^ pc) * 0x9e3779b97f4a7c15ull;
}

/* Handle of a stack whose hash is known; 0 for an empty stack or a full depot. */
uint32_t depot_put(const uint64_t *pcs, unsigned count, uint64_t hash);

static inline uint32_t depot_put_cached(struct depot_cache *cache, const uint64_t *pcs,
                                        unsigned count, uint64_t hash) {
    unsigned at = (unsigned)(hash >> 32) % DEPOT_CACHE_SIZE;
    if (__builtin_expect(cache->entries[at].hash == hash, 1)) return cache->entries[at].handle;
    uint32_t handle = depot_put(pcs, count, hash);
    cache->entries[at].hash = hash;
    cache->entries[at].handle = handle;
    return handle;
}

/* Whether a number is the handle of a stack. */
int depot_has(uint32_t handle);

/* Handles as numbers without gaps, for tables. */
uint32_t depot_number(uint32_t handle);
uint32_t depot_handle(uint32_t number);

/* Copies a stack out, innermost first; the number of frames, 0 for handle 0. */
unsigned depot_get(uint32_t handle, uint64_t *pcs, unsigned max);

#endif
