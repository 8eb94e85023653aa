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
    struct told *told = &thread_self.told;
    uint64_t size = point == WH_POINT_ARGUMENT ? WH_NULL_PAGE_SIZE : event->width;
    told->point = point;
    told->low = event->r;
    told->high = size > UINTPTR_MAX - event->r ? UINTPTR_MAX : event->r + size;
    told->frame = (uintptr_t)context->frame;
    told->pc = pcs[0];
    told->outer = outer_hash(pcs + 1, count - 1);
    told->by_library = context->library != NULL;
}

int repeat_is(const struct context *context, const uint64_t *pcs, unsigned count) {
    const struct told *told = &thread_self.told;
    uintptr_t address = context->event.r;
    unsigned at = 0;
    if (!told->point) return 0;
    /* No such length ends well, and it may destroy the stack that would tell. */
    if (told->point == WH_POINT_LENGTH || told->high > ADDRESS_END) return 1;
    while (at < count && images_kind(pcs[at]) != IMAGE_INSTRUMENTED) at++;
    if (at == count) return 0;
    if (told->by_library && pcs[at] == told->pc && context->trap.sp < told->frame) return 1;
    return address >= told->low && address < told->high &&
           outer_hash(pcs + at + 1, count - at - 1) == told->outer;
}

int repeat_has_length(const void *frame) {
    const struct told *told = &thread_self.told;
    return told->point == WH_POINT_LENGTH && told->frame == (uintptr_t)frame;
}
