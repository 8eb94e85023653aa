/* rt/access.h for the guarded heap, where the protection of pages takes the place of state planes.
 */
#include "../rt/access.h"
#include "guard.h"
#include "report.h"
#include "trap.h"

#include <errno.h>

uintptr_t port_first_bad(uintptr_t address, uint64_t size) {
    if (!blocks_govern(address)) return address + size;
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

/* ---- accesses of the kernel, which no trap reports ---- */

static uint32_t forbidden(struct block place, int write) {
    uint32_t flags = write ? GUARD_CLOSED | GUARD_READ_ONLY : GUARD_CLOSED;
    return guard_is_paged(place) ? guard_extra(place)->flags & flags : 0;
}

int access_clean(uintptr_t address, uint64_t size) {
    if (!size || !blocks_govern(address)) return 1;
    return port_first_bad(address, size) == address + size && !forbidden(block_at(address), 1);
}

void access_check(uintptr_t address, uint64_t size, uintptr_t root, int write, const char *library,
                  const struct frame *frame) {
    if (!size || !blocks_govern(address)) return;
    struct block place = block_nearest(address);
    struct context context = {0};
    context.bad = port_first_bad(address, size);
    int is_bad = context.bad != address + size;
    if (!is_bad && !forbidden(place, write)) return;
    context.event.point = write ? WH_POINT_DEREF_W : WH_POINT_DEREF_R;
    context.event.r = address;
    context.event.root = root;
    context.event.width = size;
    block_read(place, &context.event.block);
    context.frame = frame;
    context.library = library;
    context.flags = WH_FLAG_LIBRARY | (write ? WH_FLAG_WRITE : 0);
    int saved = errno;
    if (is_bad)
        event_evaluate(&context);
    else
        report_fixed(&context, WH_RULE_PROTECTED_BLOCK, place);
    errno = saved;
}
