/* The cold path of checked accesses. */
#ifndef WHENCE_RT_ACCESS_H
#define WHENCE_RT_ACCESS_H

#include "event.h"
#include "../planes/planes.h"

/* Bytes outside the heap whose state is looked at. */
#define ACCESS_SCAN_MOST (1ull << 20)

/* 1 only if the whole range, which is not empty, is addressable; 0 says nothing. */
static inline int access_quick(uintptr_t address, uint64_t size) {
    return size <= ACCESS_SCAN_MOST && plane_covers(address) && size <= ADDRESS_END - address &&
           heap_state_exact(address) && plane_clean(address, size);
}

/* Bytes that access_fine looks at. */
#define ACCESS_FINE_MOST 512u

/* 1 if an access through a pointer derived from `root` is correct and no rule
 * looks at it; 0 if that is not known. */
static inline int access_fine(uintptr_t address, uint64_t size, uintptr_t root) {
    if (WH_UNLIKELY(size - 1 >= ACCESS_FINE_MOST || event_every)) return 0;
    if (address != root && blocks_parted(address, root)) return 0;
    if (!heap_state_exact(address) || root < WH_NULL_PAGE_SIZE) return 0;
    if (!plane_covers(address) || !plane_covers(address + size - 1)) return 0;
    return plane_clean(address, size);
}

/* Quick and careful: 1 only if the whole range is addressable. No bytes are so anywhere: a length
 * of zero goes with every pointer, null included. */
int access_clean(uintptr_t address, uint64_t size);

/* The first byte of a range that may not be accessed and whose accesses the program wants to be
 * reported, or the range's end. */
uintptr_t access_reported(uintptr_t address, uint64_t size);

/* Checks an access of `size` bytes through a pointer derived from `root`. */
void access_check(uintptr_t address, uint64_t size, uintptr_t root, int write, const char *library,
                  const struct frame *frame);

/* The same for bytes that the program wants to be checked, also where it wants no access reported.
 */
void access_check_request(uintptr_t address, uint64_t size, const char *request,
                          const struct frame *frame);

/* A library function is about to use a pointer that is null. */
void access_null(const char *library, const struct frame *frame);

/* Bytes are about to be copied between two ranges that overlap and do not begin at one address. */
void access_overlap(uintptr_t to, uint64_t written, uintptr_t from, uint64_t read,
                    const char *library, const struct frame *frame);

#endif
