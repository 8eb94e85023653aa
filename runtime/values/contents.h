/* Which bytes of new memory are undefined, while that is followed. */
#ifndef WHENCE_VALUES_CONTENTS_H
#define WHENCE_VALUES_CONTENTS_H

#include "../alloc/heap.h"
#include "../stacks/unwind.h"
#include "ranges.h"

/* Of more bytes of a block, only samples are filled: the others count as defined. */
#define CONTENTS_MOST (1ull << 20)

/* Notes once that more bytes are asked for than are followed. */
void contents_limited(uint64_t size);

/* A block is new. Only code that is checked is seen to write it: blocks of other code are defined.
 */
void contents_born(uintptr_t begin, const struct heap_request *request, const struct frame *frame);

/* A live block has got bytes at its end, on behalf of the caller of `frame`. */
void contents_grown(struct block block, uint64_t old, const struct frame *frame);

/* Bytes are as the system has made them. */
static inline void contents_fresh(uintptr_t begin, uint64_t size) {
    if (VALUES_ON) __whence_value_define(begin, size);
}

#endif
