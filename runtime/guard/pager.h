/* Packed blocks: of small ones, only so many have pages in memory (Redzal, section 8).
 *
 * A small block costs a page, because it ends or begins where a page does. Beyond
 * options.guard_resident of them the one whose page came longest ago is packed: its bytes go to a
 * dense store (store.h), its page is closed and given back. An access to it traps; the handler
 * fills a page aside and moves it to its place in one step, so that no thread sees it half filled.
 * System calls are caught and get what their arguments lead to (dispatch.h, hold.h).
 *
 * Packing begins when there are more blocks than may be resident, if everything that could go
 * wrong can be caught (ready.h), else never. Paging may take some time; where a program would wait
 * for it longer, more blocks may be resident.
 *
 * Invariants, with the lock held:
 *   - a live small block is resident (linked, or pinned) or packed, never both;
 *   - a packed block's bytes are those of the store, and its page is closed and empty;
 *   - a page is closed to writes before its bytes are copied, and packed before it is closed;
 *   - a block with guard_extra.open is not packed: who opens one and then finds it packed brings
 * it;
 *   - a block is pinned, and stays resident, if its pattern is damaged or the program gave it
 * options.
 */
#ifndef WHENCE_GUARD_PAGER_H
#define WHENCE_GUARD_PAGER_H

#include "guard.h"

/* Some blocks may be packed. */
extern int pager_on;

/* A block has its pages; others may be packed for it. */
void pager_born(struct block place);
/* A block lives no longer. 1: it was packed and has no pages. */
int pager_died(struct block place);

/* Where a live block's bytes are read without bringing it, if that can be; else its begin. For who
 * knows that no other thread runs. */
uintptr_t pager_bytes(struct block place, uintptr_t begin);
static inline int pager_is_packed(struct block place) {
    return pager_on && guard_is_paged(place) &&
           __atomic_load_n(&guard_extra(place)->packed, __ATOMIC_SEQ_CST) != 0;
}

/* Makes a block resident; it may be packed again unless it is open. */
void pager_bring(struct block place);
/* A fault: 1 if its block was packed, or has just been brought, and the instruction is to run
 * again. */
int pager_fault(uintptr_t address);

/* Whether some block is packed. */
int pager_packs(void);
/* Everything resident until pager_thaw. */
void pager_freeze(void);
void pager_thaw(void);
/* Everything resident from now on. */
void pager_stop(void);

/* No block is being packed or brought meanwhile. */
uint64_t pager_lock(void);
void pager_unlock(uint64_t token);

#endif
