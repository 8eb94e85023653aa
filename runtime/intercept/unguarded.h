/* What allocation asks of guard/ where blocks are not guarded: nothing. */
#ifndef WHENCE_INTERCEPT_UNGUARDED_H
#define WHENCE_INTERCEPT_UNGUARDED_H

#include "../alloc/heap.h"
#include "../stacks/unwind.h"

#define lend_everything 0

static inline int lend_owns(uintptr_t address) { return 0 & (int)address; }

static inline void lend_free(void *pointer) { (void)pointer; }

static inline void *lend_resize(void *pointer, size_t size) {
    (void)size;
    return pointer;
}

static inline size_t lend_size(void *pointer) { return 0 & (size_t)pointer; }

static inline int guard_may_free(struct block_place place, const struct frame *frame) {
    (void)place, (void)frame;
    return 1;
}

static inline void guard_asks(const struct frame *frame) { (void)frame; }

static inline void guard_moves(struct block_place place, uintptr_t to) { (void)place, (void)to; }

static inline void guard_moved(uintptr_t to) { (void)to; }

static inline void guard_made(uintptr_t begin, const struct heap_request *request,
                              const struct frame *frame) {
    (void)begin, (void)request, (void)frame;
}

#endif
