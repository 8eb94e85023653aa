/* The allocator of `whence replay`, which places blocks and neither checks nor guards them. It does
 * not record lives, so a record has 8 bytes. */
#ifndef WHENCE_PORT_PRODUCT_H
#define WHENCE_PORT_PRODUCT_H

#include <stdint.h>
#include "whence_abi.h"

#define PORT_LIBRARY "libwhence-replay.so"
#define PORT_CHECKS 0
#define PORT_PLANES 0
#define PORT_GUARDS 0
#define PORT_OBSERVED 0
#define PORT_SYSCALL "syscall"

/* Written as one word. */
struct block_record {
    WH_BARE_RECORD_FIELDS
};
_Static_assert(sizeof(struct block_record) == WH_BARE_RECORD_SIZE, "block record");

static inline int block_used(const struct block_record *record) {
    return record->state != WH_BLOCK_NONE;
}

/* Facts that are not recorded read as 0. */
static inline uint64_t life_id(const struct block_record *record) { return (void)record, 0; }

static inline uint64_t life_thread(const struct block_record *record) { return (void)record, 0; }

static inline uint64_t life_free_time(const struct block_record *record) { return (void)record, 0; }

static inline uint64_t life_free_thread(const struct block_record *record) {
    return (void)record, 0;
}

static inline uint32_t life_alloc_stack(const struct block_record *record) {
    return (void)record, 0;
}

static inline uint32_t life_free_stack(const struct block_record *record) {
    return (void)record, 0;
}

static inline int life_has_cookie(const struct block_record *record) { return (void)record, 0; }

static inline void life_set_cookie(struct block_record *record, int has_cookie) {
    (void)record, (void)has_cookie;
}

static inline unsigned life_family(const struct block_record *record) { return record->family; }

static inline uint64_t life_align(const struct block_record *record) { return (void)record, 0; }

static inline uint8_t life_request(uint8_t family, uint64_t align) { return (void)align, family; }

static inline uint64_t life_stamp(uint64_t *clock, uint16_t thread) {
    return (void)clock, (void)thread, 0;
}

/* Written as one word, so that a reader never sees a record half written. */
static inline void life_begin(struct block_record *record, uint64_t born, uint64_t size,
                              uint32_t stack, uint16_t offset, uint8_t request) {
    typedef uint64_t __attribute__((may_alias)) word;
    (void)born, (void)stack;
    *(word *)record = (uint32_t)size | (uint64_t)offset << 32 | (uint64_t)request << 48 |
                      (uint64_t)WH_BLOCK_LIVE << 56;
}

/* Not atomic: this product does not diagnose a block that two threads free at once. */
static inline int life_end(struct block_record *record) {
    int live = record->state == WH_BLOCK_LIVE;
    if (live) record->state = WH_BLOCK_FREED;
    return live;
}

static inline void life_ended(struct block_record *record, uint64_t died, uint32_t stack) {
    (void)record, (void)died, (void)stack;
}

#endif
