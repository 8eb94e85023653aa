#include "repeat.h"
#include "context.h"
#include "../process/images.h"
#include "../planes/planes.h"

#define OUTER_MOST 16u

static uint64_t outer_hash(const uint64_t *pcs, unsigned count) {
    uint64_t hash = DEPOT_HASH_INIT;
    for (unsigned i = 0; i < count && i < OUTER_MOST; i++) hash = depot_hash_step(hash, pcs[i]);
    return hash;
}

void repeat_note(const struct context *context, const uint64_t *pcs, unsigned count) {
    const struct whence_event *event = &context->event;
    uint64_t point = event->point;
    if (!context->frame || !count) return;
    if (point != WH_POINT_DEREF_R && point != WH_POINT_DEREF_W && point != WH_POINT_ARGUMENT &&
        point != WH_POINT_LENGTH)
        return;
    struct reported_access *last = &thread_self.reported;
    uint64_t size = point == WH_POINT_ARGUMENT ? WH_NULL_PAGE_SIZE : event->width;
    last->point = point;
    last->low = event->r;
    last->high = size > UINTPTR_MAX - event->r ? UINTPTR_MAX : event->r + size;
    last->frame = (uintptr_t)context->frame;
    last->pc = pcs[0];
    last->outer = outer_hash(pcs + 1, count - 1);
    last->by_library = context->library != NULL;
}

int repeat_is(const struct context *context, const uint64_t *pcs, unsigned count) {
    const struct reported_access *last = &thread_self.reported;
    uintptr_t address = context->event.r;
    unsigned at = 0;
    if (!last->point) return 0;
    /* An access of such a length always traps, and may overwrite the stack that is compared below.
     */
    if (last->point == WH_POINT_LENGTH || last->high > ADDRESS_END) return 1;
    while (at < count && images_kind(pcs[at]) != IMAGE_INSTRUMENTED) at++;
    if (at == count) return 0;
    if (last->by_library && pcs[at] == last->pc && context->trap.sp < last->frame) return 1;
    return address >= last->low && address < last->high &&
           outer_hash(pcs + at + 1, count - at - 1) == last->outer;
}

int repeat_has_length(const void *frame) {
    const struct reported_access *last = &thread_self.reported;
    return last->point == WH_POINT_LENGTH && last->frame == (uintptr_t)frame;
}
