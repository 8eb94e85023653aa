/* Where slot n of a spread bin lies, and which slot lies where.
 *
 * The bin's 2**bits bytes are halved layer by layer: layer k has the 2**k odd
 * multiples of 2**(bits-k-1). Within a layer the order is folded: first, last,
 * second, last but one, ... so that slots of neighbouring n are far apart
 * (Schemmel et al., ISSTA 2023, the addresses printed in section 4).
 */
#ifndef WHENCE_ALLOC_KD_PLACEMENT_H
#define WHENCE_ALLOC_KD_PLACEMENT_H

#include <stdint.h>

/* Bytes from the bin's begin. n < 2**bits - 1. */
static inline uint64_t placement_offset(unsigned bits, uint64_t n) {
    unsigned layer = 63 - (unsigned)__builtin_clzll(n + 1);
    uint64_t count = 1ull << layer, i = n + 1 - count;
    uint64_t position = i % 2 ? count - 1 - i / 2 : i / 2;
    return (2 * position + 1) << (bits - layer - 1);
}

/* The inverse. 0 < offset < 2**bits. */
static inline uint64_t placement_index(unsigned bits, uint64_t offset) {
    unsigned low = (unsigned)__builtin_ctzll(offset), layer = bits - 1 - low;
    uint64_t count = 1ull << layer, position = offset >> (low + 1);
    uint64_t i = 2 * position < count ? 2 * position : 2 * (count - 1 - position) + 1;
    return count + i - 1;
}

#endif
