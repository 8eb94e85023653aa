/* One search for the blocks that a program can still reach.
 *
 * The other functions are called between search_begin and search_end. The first such call reads the
 * memory, while all other threads are stopped. Cost: linear in live bytes and in mapped data.
 */
#ifndef WHENCE_LEAK_SEARCH_H
#define WHENCE_LEAK_SEARCH_H

#include "mark.h"

struct search {
    uintptr_t
        stack_low; /* the calling thread uses its stack from here up; 0: from the current frame */
    uint64_t pc;   /* where a signal interrupted it, or 0 */
};

void search_begin(const struct search *search);
void search_end(void);

/* The marks of a block; NULL if there was no search, or the block was not live then. */
uint8_t *search_marks(struct block block);
/* Whether memory has been searched with success. */
int search_is_done(void);

/* WH_LEAK_* of a block with these marks. */
uint32_t search_kind(uint8_t marks);

/* Whether the loader or the C library keeps the block, or the program has excused it. */
int search_is_kept(uint8_t marks, struct block block);
/* Whether code that is not instrumented allocated it, in a program that is not instrumented. */
int search_is_foreign(struct block block);

/* In the child of a fork: the blocks that live are inherited. */
void search_forked(void);
/* Whether a parent had the block with this number when it forked this process. */
int search_is_inherited(uint64_t id);

/* Whether any block of the heap lives. */
int search_heap_lives(void);

/* Counts all live blocks by kind; 0 if there is no memory. */
struct wh_leaks;
int search_totals(struct wh_leaks *totals);

#endif
