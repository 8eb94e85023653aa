/* The definedness of one granule (include/whence/values.h).
 *
 * Who changes a granule that is not simply defined or undefined holds it meanwhile: its byte is
 * WH_VALUES_BUSY. Nobody waits for long, because the holder may be the code that a signal handler
 * interrupted, or have left by longjmp, or be missing in the child of a fork: then the granule is
 * made DEFINED, and the holder sees that when it lets go. So undefined bits may be missed, and none
 * are invented.
 */
#ifndef WHENCE_VALUES_GRANULE_H
#define WHENCE_VALUES_GRANULE_H

#include "../blocks/block.h"
#include "../include/whence/values.h"
#include "../os/mem.h"

#define ALL_BITS (~0ull)

static inline uint8_t *granule_state(uintptr_t address) {
    return (uint8_t *)((address >> WH_GRANULE_SHIFT) + WH_DEFINED_OFFSET);
}

static inline uint8_t granule_read(uintptr_t granule) {
    return __atomic_load_n(granule_state(granule), __ATOMIC_ACQUIRE);
}

/* Whether the details have the undefined bits. */
static inline int granule_is_mixed(uint8_t state) {
    return state != WH_VALUES_DEFINED && state != WH_VALUES_UNDEFINED && state != WH_VALUES_BUSY;
}

/* Whether a state says of some bytes that they are defined. */
static inline int granule_is_named(uint8_t state) {
    return granule_is_mixed(state) && state != WH_VALUES_MIXED;
}

static inline void granule_define(uintptr_t granule) {
    __atomic_store_n(granule_state(granule), WH_VALUES_DEFINED, __ATOMIC_RELEASE);
}

/* The granule holds a fill word, or is going to. */
static inline void granule_undefine(uintptr_t granule) {
    __atomic_store_n(granule_state(granule), WH_VALUES_UNDEFINED, __ATOMIC_RELEASE);
}

static inline uint64_t granule_word(uintptr_t granule) {
    return __atomic_load_n((const wh_aligned_word *)granule, __ATOMIC_RELAXED);
}

/* The undefined bits, and their origin. */
struct whence_bits granule_bits(uintptr_t granule);
/* The same while the plane says of other granules what they are going to hold. */
struct whence_bits granule_bits_alone(uintptr_t granule);

/* Some bits of a granule have changed. */
struct change {
    uint64_t mask;   /* of whole bytes: which */
    uint64_t bits;   /* those of them that are undefined */
    uint64_t origin; /* of these, and a hint about the granule's other bytes; 0: unknown */
    uint64_t value;  /* the granule's bytes, as they are when the change is complete */
};
void granule_change(uintptr_t granule, const struct change *change);

/* Bytes of a granule become defined, bit i is byte i; 0: that takes more than to say so in the
 * plane, and is left to the caller. */
int granule_define_bytes(uintptr_t granule, uint8_t bytes);

/* All bytes of a granule have been written, with these undefined bits. 0: that takes more, too. */
int granule_store(uintptr_t granule, struct whence_bits bits);

/* The thread's knowledge of granules is to be found by others. */
void granules_settle(void);

/* The bytes of a variable's last granule, less than all, become undefined. 0: the granule is not
 * known to be the last one of a local variable. Else no other variable has bytes of it, and it
 * holds a whole fill word, so that the plane says all about it. */
int granule_undefine_last(uintptr_t granule, uint64_t size, uint64_t origin);

/* A heap block has been filled with the word of an origin; size: in whole granules. The thread's
 * next writes are likely to go there. */
void granule_filled(uintptr_t begin, uint64_t size, uint64_t origin);

/* Bytes of a granule have become defined, and the undefined bits of some bytes; bit i is byte i. */
void granule_clear(uintptr_t granule, uint8_t bytes);
uint64_t granule_bits_of(uintptr_t granule, uint8_t bytes);

/* A copy: the blocks on both sides. */
struct kinship {
    struct side {
        struct block block; /* none: the memory is of no block of the heap */
        uint64_t mark;      /* of the block in details */
        uint64_t origin;    /* once it is_asked for */
        int is_asked;
    } from, to;
    uint64_t bare; /* a page of the source that has no details, plus one */
};
/* 0: one of the ranges has bytes of several blocks. */
int granule_kinship(struct kinship *kinship, uintptr_t to, uintptr_t from, uint64_t size);

/* Bytes of a granule get those that lie `shift` bits further on in a mixed one whose state names
 * its undefined bytes, of a copy with a known kinship. 0: that is left to the caller. */
int granule_copy_named(uintptr_t to, uint8_t bytes, uintptr_t from, int shift,
                       struct kinship *kinship);

#endif
