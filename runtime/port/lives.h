/* The record of a block in products that record lives: times, threads and stacks of the allocation
 * and the free. 32 bytes. */
#ifndef WHENCE_PORT_LIVES_H
#define WHENCE_PORT_LIVES_H

#include <stddef.h>
#include <stdint.h>
#include "../os/mem.h"
#include "../os/os.h"
#include "whence_abi.h"

#define BLOCK_ID_BITS WH_BLOCK_ID_BITS
#define BLOCK_ID_MASK ((1ull << BLOCK_ID_BITS) - 1)

/* See whence.abi.layout. */
struct block_record {
    WH_BLOCK_RECORD_FIELDS
};
_Static_assert(sizeof(struct block_record) == WH_BLOCK_RECORD_SIZE, "block record");

static inline int block_used(const struct block_record *record) { return record->born != 0; }

static inline uint64_t life_id(const struct block_record *record) {
    return record->born & BLOCK_ID_MASK;
}

static inline uint64_t life_thread(const struct block_record *record) {
    return record->born >> BLOCK_ID_BITS;
}

static inline uint64_t life_free_time(const struct block_record *record) {
    return record->died & BLOCK_ID_MASK;
}

static inline uint64_t life_free_thread(const struct block_record *record) {
    return record->died >> BLOCK_ID_BITS;
}

static inline uint32_t life_alloc_stack(const struct block_record *record) {
    return record->alloc_stack;
}

static inline uint32_t life_free_stack(const struct block_record *record) {
    return record->free_stack;
}

#define LIFE_FAMILY_MASK ((1u << WH_BLOCK_FAMILY_BITS) - 1)

/* Whether an array cookie begins the block, or did so while it was live. */
static inline int life_has_cookie(const struct block_record *record) {
    return (record->request & LIFE_FAMILY_MASK) == WH_BLOCK_COOKIE;
}

/* For a block of WH_FAMILY_NEW_ARRAY. */
static inline void life_set_cookie(struct block_record *record, int has_cookie) {
    unsigned family = has_cookie ? WH_BLOCK_COOKIE : WH_FAMILY_NEW_ARRAY;
    record->request = (uint8_t)((record->request & ~LIFE_FAMILY_MASK) | family);
}

static inline unsigned life_family(const struct block_record *record) {
    return life_has_cookie(record) ? WH_FAMILY_NEW_ARRAY : record->request & LIFE_FAMILY_MASK;
}

static inline uint64_t life_align(const struct block_record *record) {
    unsigned shift = record->request >> WH_BLOCK_FAMILY_BITS;
    return shift ? 1ull << (shift - 1) : 0;
}

/* The family of a request and the alignment that operator new was given, in one byte. */
static inline uint8_t life_request(uint8_t family, uint64_t align) {
    unsigned shift = align ? 64 - (unsigned)__builtin_clzll(align) : 0;
    return (uint8_t)(family | shift << WH_BLOCK_FAMILY_BITS);
}

/* A time of the event clock and a thread in one word. */
static inline uint64_t life_stamp(uint64_t *clock, uint16_t thread) {
    return os_add(clock, 1) | (uint64_t)thread << BLOCK_ID_BITS;
}

/* Begins the life of a block. */
static inline void life_begin(struct block_record *record, uint64_t born, uint64_t size,
                              uint32_t stack, uint16_t offset, uint8_t request) {
    record->born = born;
    record->died = 0;
    record->size = (uint32_t)size;
    record->alloc_stack = stack;
    record->free_stack = 0;
    record->offset = offset;
    record->request = request;
    __atomic_store_n(&record->state, WH_BLOCK_LIVE, __ATOMIC_RELEASE);
}

/* Ends the life of a block. Of several threads that try, one succeeds; 0 if the block is not live.
 */
static inline int life_end(struct block_record *record) {
    uint8_t live = WH_BLOCK_LIVE;
    if (WH_UNLIKELY(os_has_threads()))
        return __atomic_compare_exchange_n(&record->state, &live, WH_BLOCK_FREED, 0,
                                           __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    if (record->state != WH_BLOCK_LIVE) return 0;
    record->state = WH_BLOCK_FREED;
    return 1;
}

/* Records time and stack of the free, after life_end. */
static inline void life_ended(struct block_record *record, uint64_t died, uint32_t stack) {
    record->died = died;
    record->free_stack = stack;
}

#endif
