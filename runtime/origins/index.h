/* Tables that find rows by their hash. What comes from neighbouring bytes of an input has
 * neighbouring entries, because a loop over an input asks for one after the other, and the tables
 * are too large for the caches. Beside a row's number an entry has bits of its hash, so that rows
 * of others are rarely looked at. */
#ifndef WHENCE_ORIGINS_INDEX_H
#define WHENCE_ORIGINS_INDEX_H

#include <stdint.h>

/* How many entries belong together. */
#define INDEX_NEIGHBOURS 16u

/* A hash with one more value in it. */
static inline uint64_t index_mixed(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 29;
}

/* The hash of something with this place among its neighbours, where they share `hash`. */
static inline uint64_t index_hash(uint64_t hash, uint64_t place) {
    uint64_t first = hash & ~(uint64_t)(INDEX_NEIGHBOURS - 1);
    return first | ((place + (hash >> 32)) & (INDEX_NEIGHBOURS - 1));
}

/* Which of `count` entries a search for a hash looks at after so many others: neighbours that are
 * in the way of one are in the way of all, and are passed together. */
static inline uint64_t index_at(uint64_t hash, uint64_t passed, uint64_t count) {
    uint64_t rounds = passed / (count / INDEX_NEIGHBOURS);
    return (hash + passed * INDEX_NEIGHBOURS + rounds) % count;
}

/* An entry: a number of so many bits, not 0, and the highest bits of the hash. */
static inline uint32_t index_entry(uint64_t hash, uint32_t number, unsigned bits) {
    return ((uint32_t)(hash >> 32) & ~0u << bits) | number;
}

/* The number in an entry, 0 if the hash of its row is another. */
static inline uint32_t index_number(uint32_t entry, uint64_t hash, unsigned bits) {
    return (entry ^ (uint32_t)(hash >> 32)) >> bits ? 0 : entry & ~(~0u << bits);
}

#endif
