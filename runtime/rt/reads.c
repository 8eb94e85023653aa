#include "reads.h"
#include "access.h"
#include "uses.h"
#include "../definedness/ranges.h"

void read_memory(uintptr_t address, uint64_t size, const char *library, const struct frame *frame) {
    if (!event_watched(WH_POINT_READ) || (library && uses_unwatched)) return;
    if (!access_clean(address, size)) return; /* the access itself is wrong */
    struct context context = {0};
    context.event.other = values_unwritten(address, size, &context.origin);
    if (!context.event.other) return;
    context.event.point = WH_POINT_READ;
    context.event.r = context.event.root = address;
    context.event.width = size;
    block_read(block_at(address), &context.event.block);
    context.frame = frame;
    context.library = library;
    if (library) context.flags = WH_FLAG_LIBRARY;
    event_evaluate(&context);
}
