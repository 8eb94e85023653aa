/* A pattern in the bytes beside a block, and in freed blocks of plain slots. A write that does not
 * trap damages the pattern and is found later. */
#ifndef WHENCE_GUARD_PATTERN_H
#define WHENCE_GUARD_PATTERN_H

#include "guard.h"

/* Fills the bytes beside a new block. */
void pattern_lay(struct block place);
/* Fills a page before a block is copied to it. */
void pattern_lay_page(uintptr_t page);
/* Fills a freed block, at most its first PATTERN_FREED_MOST bytes. */
void pattern_lay_freed(struct block place);
#define PATTERN_FREED_MOST 256u

/* The first bytes that differ from the pattern. */
struct pattern_damage {
    uintptr_t begin;
    uint64_t size; /* 0: none */
};
struct pattern_damage pattern_damage(struct block place);
struct pattern_damage pattern_damage_freed(struct block place);

#endif
