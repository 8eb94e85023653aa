/* rt/access.h for the guarded heap, where the protection of pages takes the place of state planes.
 */
#include "../rt/access.h"
#include "guard.h"
#include "report.h"
#include "trap.h"

uintptr_t port_first_bad(uintptr_t address, uint64_t size) {
    if (!heap_contains(address)) return address + size;
    uintptr_t end = blocks_live_end(address);
    if (!end) return address;
    return size < end - address ? address + size : end;
}

/* An access inside a live block traps only if the program has forbidden it by an option. */
static int is_forbidden(struct block place, uintptr_t address) {
    struct block holding = block_at(address);
    return holding.slot && holding.slot == place.slot && guard_is_paged(place) &&
           block_record(place.region, place.slot)->state == WH_BLOCK_LIVE &&
           (guard_extra(place)->flags & (GUARD_CLOSED | GUARD_READ_ONLY));
}

uint64_t port_trapped(struct context *context, uintptr_t address, int write) {
    struct block place = guard_judge(address);
    context->event.point = write ? WH_POINT_DEREF_W : WH_POINT_DEREF_R;
    if (!context->event.width) { /* otherwise the caller has filled in the access */
        context->event.r = context->event.root = address;
        context->event.width = trap_width();
    }
    context->bad = address;
    if (write) context->flags |= WH_FLAG_WRITE;
    block_read(place, &context->event.block);
    if (is_forbidden(place, address)) {
        report_fixed(context, WH_RULE_PROTECTED_BLOCK, place);
        return context->findings;
    }
    return event_evaluate(context);
}
