#include "poison.h"
#include "../blocks/block.h"
#include "../include/whence/rules.h"
#include "../os/os.h"
#include "../planes/planes.h"
#include "../rt/access.h"

/* ---- the bytes that a request may change ---- */

struct span {
    uintptr_t begin, end;
    uintptr_t limit; /* no byte from here on may become accessible */
};

static const struct span nothing = {0, 0, 0};

static struct span touched(uintptr_t begin, uint64_t size) {
    if (!size || begin < WH_NULL_PAGE_SIZE || !plane_covers(begin)) return nothing;
    uintptr_t end = size > ADDRESS_END - begin ? ADDRESS_END : begin + size;
    uintptr_t limit = blocks_reach(begin);
    if (limit == begin) return nothing;
    return (struct span){begin, end < limit ? end : limit, limit};
}

/* ---- one granule ---- */

static unsigned open_bytes(uintptr_t granule) {
    uint8_t state = *plane_state(granule);
    if (state == WH_STATE_ADDRESSABLE || state == WH_STATE_UNDEFINED || state == WH_STATE_MIXED)
        return WH_GRANULE;
    return state < WH_GRANULE ? state : 0;
}

static void set_open_bytes(uintptr_t granule, unsigned count) {
    *plane_state(granule) = count == 0            ? WH_STATE_USER
                            : count == WH_GRANULE ? WH_STATE_ADDRESSABLE
                                                  : (uint8_t)count;
}

/* Bytes [from, to) of a granule. */
static void close_part(uintptr_t granule, unsigned from, unsigned to) {
    unsigned open = open_bytes(granule);
    if (to >= open && from < open) set_open_bytes(granule, from);
}

static void open_part(uintptr_t granule, unsigned to, uintptr_t limit) {
    unsigned open = open_bytes(granule), most = WH_GRANULE;
    if (limit - granule < WH_GRANULE) most = (unsigned)(limit - granule);
    if (to > open) open = to;
    set_open_bytes(granule, open < most ? open : most);
}

/* ---- ranges ---- */

static int closed_elsewhere; /* the program has closed memory outside of blocks */

void poison_close(uintptr_t begin, uint64_t size) {
    struct span span = touched(begin, size);
    __whence_holes = 1;
    if (span.begin < span.end && !blocks_govern(begin)) closed_elsewhere = 1;
    for (uintptr_t at = span.begin; at < span.end;) {
        uintptr_t granule = wh_round_down(at, WH_GRANULE),
                  whole = wh_round_down(span.end, WH_GRANULE);
        if (at == granule && whole > at) {
            plane_set(at, whole - at, WH_STATE_USER);
            at = whole;
            continue;
        }
        unsigned to = span.end - granule < WH_GRANULE ? (unsigned)(span.end - granule) : WH_GRANULE;
        close_part(granule, (unsigned)(at - granule), to);
        at = granule + WH_GRANULE;
    }
}

void poison_open(uintptr_t begin, uint64_t size) {
    struct span span = touched(begin, size);
    for (uintptr_t at = span.begin; at < span.end;) {
        uintptr_t granule = wh_round_down(at, WH_GRANULE),
                  whole = wh_round_down(span.end, WH_GRANULE);
        if (at == granule && whole > at) {
            plane_set(at, whole - at, WH_STATE_ADDRESSABLE);
            at = whole;
            continue;
        }
        unsigned to = span.end - granule < WH_GRANULE ? (unsigned)(span.end - granule) : WH_GRANULE;
        open_part(granule, to, span.limit);
        at = granule + WH_GRANULE;
    }
}

uint64_t poison_closed(uintptr_t begin, uint64_t size) {
    struct span span = touched(begin, size < ACCESS_SCAN_MOST ? size : ACCESS_SCAN_MOST);
    uint64_t closed = 0;
    for (uintptr_t at = span.begin; at < span.end; at++) {
        uint8_t state = *plane_state(at);
        if (state == WH_STATE_STACK_FREED || state == WH_STATE_STACK_RETURNED) continue;
        if (at % WH_GRANULE >= open_bytes(wh_round_down(at, WH_GRANULE))) closed++;
    }
    return closed;
}

uintptr_t poison_first_bad(uintptr_t begin, uint64_t size) {
    if (!size || port_first_bad(begin, size) == begin + size) return 0;
    return port_first_bad(begin, size);
}

/* Asking about a stack makes it grow, as the access will. */
uint64_t poison_accessible(uintptr_t begin, uint64_t size) {
    uintptr_t end = size ? port_first_bad(begin, size) : begin;
    if (blocks_govern(begin)) return end - begin;
    for (uintptr_t at = begin; at < end; at = wh_round_down(at, OS_PAGE) + OS_PAGE)
        if (!os_readable_word(at)) return at - begin;
    return end - begin;
}

uintptr_t poison_past(uintptr_t inaccessible) {
    if (inaccessible >= ADDRESS_END) return UINTPTR_MAX;
    uint64_t step = port_first_bad(inaccessible, 1) == inaccessible ? WH_GRANULE : OS_PAGE;
    return wh_round_down(inaccessible, step) + step;
}

WH_EXPORT uint64_t __whence_closed(uint64_t address, uint64_t width) {
    return poison_closed(address, width);
}

/* ---- unmapped memory ---- */

/* The next mapping at these addresses must be accessible. Only state bytes that are not 0 are
 * written, so that untouched pages of the plane stay untouched. */
static void reopen(uintptr_t begin, uintptr_t end) {
    struct span span = touched(begin, end - begin);
    for (uintptr_t at = span.begin; at < span.end && !blocks_govern(begin); at += 8 * WH_GRANULE)
        if (*(const wh_word *)plane_state(at)) poison_open(at, 8 * WH_GRANULE);
}

static void renews(uintptr_t begin, uint64_t size) {
    if (closed_elsewhere) reopen(begin, begin + size);
}

const struct observer poison_observer = {.always = 1, .renews = renews};
