/* Pages of the heap that the program has mapped or unmapped by itself, over freed blocks, live
 * ones, or memory that no block has used. No new block is placed in a slot that such a page lies
 * in. What the program has mapped is its own, wherever no live block is.
 *
 * One byte for each page, reserved when the first claim is made. Only programs that make one pay
 * for more than a comparison. Readers take no lock. */
#ifndef WHENCE_BLOCKS_CLAIMS_H
#define WHENCE_BLOCKS_CLAIMS_H

#include "blocks.h"
#include "../os/mem.h"

enum claim {
    CLAIM_NONE,
    CLAIM_RETIRED, /* unmapped: no new block lies here, but blocks say what may be accessed */
    CLAIM_PROGRAM, /* mapped by the program, even if it has unmapped that again */
};

/* By page of the heap; NULL: there are no claims. */
extern uint8_t *claims_table;

/* Bytes of the table, at CLAIMS_BASE: regions of the block table that no slots belong to. */
#define CLAIMS_BASE WH_META_BASE
#define CLAIMS_SIZE (WH_HEAP_SIZE >> OS_PAGE_SHIFT)
_Static_assert(CLAIMS_SIZE <= (uint64_t)WH_MIN_SLOT_SHIFT << WH_REGION_SHIFT, "room for claims");

/* A range of whole pages of the heap gets a claim. Pages stay PROGRAM if they are retired. */
void claims_set(uintptr_t begin, uintptr_t end, enum claim claim);
/* Pages of the program's are the blocks' again, though no new block lies there. */
void claims_return(uintptr_t begin, uintptr_t end);

int claims_touch(uintptr_t begin, uintptr_t end);
/* The first page in a range with a claim, or `end`; the first one without, or `end`. */
uintptr_t claims_next(uintptr_t begin, uintptr_t end);
uintptr_t claims_skip(uintptr_t begin, uintptr_t end);
int claims_hold(uintptr_t address);
/* The end of the pages of the program that the address lies in. */
uintptr_t claims_end(uintptr_t address);

/* The first page of a range of any memory that is the program's own and in no live block, or `end`.
 */
uintptr_t claims_owned(uintptr_t begin, uintptr_t end);

static inline int claims_any(void) { return WH_UNLIKELY(claims_table != NULL); }

/* Whether no new block may lie in a slot. */
static inline int slot_claimed(unsigned shift, uint64_t index) {
    return claims_any() && claims_touch(slot_begin(shift, index), slot_begin(shift, index + 1));
}

/* Whether an address of the heap is in the program's own memory, and in no live block. */
static inline int claimed(uintptr_t address) { return claims_any() && claims_hold(address); }

#endif
