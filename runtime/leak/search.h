/* One search for the blocks that a program can still reach.
 *
 * search_begin, then any questions, then search_end. The memory is read at the
 * first question, while all other threads stand still. Cost: linear in live
 * bytes and in mapped data.
 */
#ifndef WHENCE_LEAK_SEARCH_H
#define WHENCE_LEAK_SEARCH_H

#include "mark.h"

struct search {
    uintptr_t stack_low; /* the calling thread uses its stack from here up; 0: from where we are */
    uint64_t pc;         /* where a signal interrupted it, or 0 */
};

void search_begin(const struct search *search);
void search_end(void);

/* The marks of a block; 0 if there was no search, or the block did not live then. */
uint8_t *search_marks(struct block block);
/* Whether memory has been searched, successfully. */
int search_is_done(void);

/* WH_LEAK_* of a block with these marks. */
uint32_t search_kind(uint8_t marks);

/* Whether the loader or the C library keeps the block, or the program does not
 * want to hear of it. */
int search_is_kept(uint8_t marks, struct block block);
/* Whether code that is not checked allocated it, in a program that is not. */
int search_is_foreign(struct block block);

/* Counts all live blocks by kind; 0 if there is no memory. */
struct wh_leaks;
int search_totals(struct wh_leaks *totals);

#endif
