/* The state plane: one byte for each 8-byte granule of the address space.
 *
 *     state byte of a = *(uint8_t *)((a >> 3) + WH_STATE_OFFSET)
 *
 *     0        all eight bytes addressable and defined
 *     1..7     only the first k bytes addressable, all defined
 *     0x40..   addressable, definedness elsewhere (reserved)
 *     0x80..   poisoned, by cause (WH_STATE_*)
 *
 * The plane covers [0, 2**47) except the addresses of the plane itself, whose
 * state bytes form a gap in it that is never accessible.
 */
#ifndef WHENCE_PLANES_PLANES_H
#define WHENCE_PLANES_PLANES_H

#include <stddef.h>
#include <stdint.h>
#include "../include/whence/rules.h"
#include "../os/mem.h"
#include "../port/port.h"
#include "whence_abi.h"

#define PLANE_BEGIN ((uintptr_t)WH_STATE_OFFSET)
#define PLANE_END (PLANE_BEGIN + (1ull << (WH_ADDRESS_BITS - WH_GRANULE_SHIFT)))
#define ADDRESS_END (1ull << WH_ADDRESS_BITS)

/* Reserves the plane and poisons the null page. 0, or -errno with the range
 * that could not be had in *begin and *size. */
long planes_init(uintptr_t *begin, size_t *size);

static inline uint8_t *plane_state(uintptr_t address) {
    return (uint8_t *)((address >> WH_GRANULE_SHIFT) + WH_STATE_OFFSET);
}

/* Whether an address has a state byte that can be read. */
static inline int plane_covers(uintptr_t address) {
    return PORT_PLANES && address < ADDRESS_END && address - PLANE_BEGIN >= PLANE_END - PLANE_BEGIN;
}

/* Quick: 1 only if all of [begin, begin+size) is addressable and defined; 0 says
 * nothing. The range must be covered, not empty, and not wrap. */
static inline int plane_clean(uintptr_t begin, size_t size) {
    const uint8_t *at = plane_state(begin), *last = plane_state(begin + size - 1);
    unsigned needed = (unsigned)(begin + size - 1) % WH_GRANULE;
    if (*last && (*last >= WH_GRANULE || needed >= *last)) return 0;
    for (; last - at >= 8; at += 8)
        if (*(const wh_word *)at) return 0;
    uint64_t rest = *(const wh_word *)at & ((1ull << (8 * (last - at))) - 1);
    return rest == 0;
}

/* Gives whole granules one state, where there are planes; begin and size are multiples of 8. */
void plane_write(uintptr_t begin, size_t size, uint8_t state);
static inline void plane_set(uintptr_t begin, size_t size, uint8_t state) {
    if (PORT_PLANES) plane_write(begin, size, state);
}

/* Makes [begin, begin+size) addressable; begin is a multiple of 8. A last
 * granule that is used in part says so. */
static inline void plane_open(uintptr_t begin, size_t size) {
    size_t whole = wh_round_down(size, WH_GRANULE);
    plane_set(begin, whole, WH_STATE_ADDRESSABLE);
    if (PORT_PLANES && whole < size) *plane_state(begin + whole) = (uint8_t)(size - whole);
}

/* Address of the first byte of [begin, begin+size) that is not addressable, or
 * begin+size. The range must be covered and not wrap. */
uintptr_t plane_first_bad(uintptr_t begin, size_t size);

/* The addressable bytes around an address, with none between them that is not; the range `most`
 * limits where to look, is covered and contains the address. Empty if its byte is not addressable.
 */
struct whence_bounds plane_run(uintptr_t address, struct whence_bounds most);

#endif
