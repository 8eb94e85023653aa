/* A pattern in the bytes beside a block, and in freed blocks of plain slots: what was written
 * there in passing is found later. */
#ifndef WHENCE_GUARD_PATTERN_H
#define WHENCE_GUARD_PATTERN_H

#include "guard.h"

/* Around a block that is about to live. */
void pattern_lay(struct block place);
/* Over a page that a block is copied to. */
void pattern_lay_page(uintptr_t page);
/* Over a block that has been freed, at most its first PATTERN_FREED_MOST bytes. */
void pattern_lay_freed(struct block place);
#define PATTERN_FREED_MOST 256u

/* Bytes that are no longer as they were laid. */
struct pattern_damage {
    uintptr_t begin;
    uint64_t size; /* 0: none */
};
struct pattern_damage pattern_damage(struct block place);
struct pattern_damage pattern_damage_freed(struct block place);

#endif
