/* The cold path of checked accesses. */
#ifndef WHENCE_RT_ACCESS_H
#define WHENCE_RT_ACCESS_H

#include "event.h"
#include "../planes/planes.h"

/* Bytes outside the heap whose state is looked at. */
#define ACCESS_SCAN_MOST (1ull << 20)

/* Whether the state bytes at an address tell everything: not where slots are
 * uncut, and from HEAP_BIG_SHIFT on only next to a block. */
static inline int access_exact_state(uintptr_t address) {
    if (!heap_contains(address)) return 1;
    unsigned shift = slot_shift(address);
    uint64_t index = (address & ((1ull << WH_REGION_SHIFT) - 1)) >> shift;
    return shift < HEAP_BIG_SHIFT && index >= region_before(shift) && index < blocks_cut[shift];
}

/* 1 only if the whole range, which is not empty, is addressable; 0 says nothing. */
static inline int access_quick(uintptr_t address, uint64_t size) {
    return size <= ACCESS_SCAN_MOST && plane_covers(address) && size <= ADDRESS_END - address &&
           access_exact_state(address) && plane_clean(address, size);
}

/* Bytes that access_fine looks at. */
#define ACCESS_FINE_MOST 512u

/* 1 only if nothing is wrong with an access through a pointer derived from
 * `root`, and no rule asks about it; 0 says nothing. */
static inline int access_fine(uintptr_t address, uint64_t size, uintptr_t root) {
    if (WH_UNLIKELY(size - 1 >= ACCESS_FINE_MOST || event_every)) return 0;
    if (heap_contains(address)) {
        if ((root ^ address) >> slot_shift(address) || !access_exact_state(address)) return 0;
    } else {
        if (heap_contains(root) || root < WH_NULL_PAGE_SIZE) return 0;
        if (!plane_covers(address) || !plane_covers(address + size - 1)) return 0;
    }
    return plane_clean(address, size);
}

/* Quick and careful: 1 only if the whole range is addressable. */
int access_clean(uintptr_t address, uint64_t size);

/* Checks an access of `size` bytes through a pointer derived from `root`. */
void access_check(uintptr_t address, uint64_t size, uintptr_t root, int write, const char *library,
                  const struct frame *frame);

/* A library function is about to use a pointer that is null. */
void access_null(const char *library, const struct frame *frame);

/* Bytes are about to be copied between two ranges that overlap and do not begin at one address. */
void access_overlap(uintptr_t to, uint64_t written, uintptr_t from, uint64_t read,
                    const char *library, const struct frame *frame);

#endif
