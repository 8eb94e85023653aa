/* Packed blocks: only a limited number of small blocks have pages in memory (Redzal, section 8).
 *
 * A small block costs a page, because it ends or begins where a page does. When more than
 * options.guard_resident of them are resident, the one that was resident longest is packed: its
 * bytes move to a dense store (store.h), and its page is closed and freed. An access to a packed
 * block traps. The handler unpacks the block: it fills another page and moves that into place in
 * one step, so that no thread sees a page half filled. System calls are intercepted, and the blocks
 * that they access are unpacked first (dispatch.h, hold.h).
 *
 * Packing begins when there are more blocks than may be resident, provided that every access to a
 * closed page can be intercepted (ready.h). The number of resident blocks grows when a program
 * spends too much of its time unpacking.
 *
 * Invariants, while the lock is held:
 *   - a live small block is resident (listed, or pinned) or packed, never both;
 *   - the bytes of a packed block are in the store, and its page is closed and empty;
 *   - a page is closed to writes before its bytes are copied, and marked packed before it is
 * closed;
 *   - a block with guard_extra.open is not packed: a thread that opens a block and then finds it
 *     packed unpacks it;
 *   - a block with a damaged pattern or with options is pinned: it stays resident.
 */
#ifndef WHENCE_GUARD_PAGER_H
#define WHENCE_GUARD_PAGER_H

#include "guard.h"

/* Whether packing has begun. */
extern int pager_on;

/* After the allocation of a block with pages: packs others if too many are resident. */
void pager_born(struct block place);
/* After the free of a block. 1: it was packed and has no pages. */
int pager_died(struct block place);

/* Where the bytes of a live block are, packed or not, for a caller that knows that no other thread
 * runs. The block's begin if the packed bytes are not aligned like the block. */
uintptr_t pager_bytes(struct block place, uintptr_t begin);
static inline int pager_is_packed(struct block place) {
    return pager_on && guard_is_paged(place) &&
           __atomic_load_n(&guard_extra(place)->packed, __ATOMIC_SEQ_CST) != 0;
}

/* Makes a block resident; it may be packed again unless it is open. */
void pager_unpack(struct block place);
/* It is never packed again. */
void pager_pin(struct block place);
/* Handles a fault: 1 if its block was packed, or another thread has just unpacked it, so that the
 * instruction must run again. */
int pager_fault(uintptr_t address);

/* Whether some block is packed. */
int pager_packs(void);
/* Unpacks all blocks, and packs none until pager_thaw. Calls nest. */
void pager_freeze(void);
void pager_thaw(void);
/* Unpacks all blocks, and packs none any more. */
void pager_stop(void);

/* The lock under which blocks are packed and unpacked; the token goes to pager_unlock. */
uint64_t pager_lock(void);
void pager_unlock(uint64_t token);

#endif
