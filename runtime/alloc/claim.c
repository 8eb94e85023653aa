#include "heap.h"
#include "pages.h"
#include "slots.h"

void heap_claim(uintptr_t begin, uintptr_t end) {
    slots_claim(begin, end);
    pages_claimed(begin, end);
}

/* Beyond this many bytes state bytes are dropped instead of written. */
#define WRITTEN_MOST (64ull << 20)
/* Bytes that a page of state bytes describes. */
#define STATE_PAGE ((uintptr_t)OS_PAGE << WH_GRANULE_SHIFT)

void heap_claimed(uintptr_t begin, uintptr_t end) {
    claims_set(begin, end, CLAIM_PROGRAM);
    if (!PORT_PLANES) return;
    uintptr_t from = end, to = end;
    if (end - begin > WRITTEN_MOST) {
        from = wh_round_up(begin, STATE_PAGE);
        to = wh_round_down(end, STATE_PAGE);
        os_discard((uintptr_t)plane_state(from), (to - from) >> WH_GRANULE_SHIFT);
    }
    plane_set(begin, from - begin, WH_STATE_ADDRESSABLE);
    plane_set(to, end - to, WH_STATE_ADDRESSABLE);
}
