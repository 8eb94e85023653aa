#include "uses.h"
#include "../os/mem.h"
#include "../blocks/blocks.h"
#include "../definedness/ranges.h"

static struct context of_kind(uint64_t kind, struct whence_bits found, const struct frame *frame) {
    struct context context = {0};
    context.event.point = WH_POINT_USE;
    context.event.width = kind;
    context.event.other = found.bits;
    context.event.root = found.origin;
    context.frame = frame;
    return context;
}

__thread uint32_t uses_unwatched __attribute__((tls_model("initial-exec")));

static int is_of_library(uint64_t kind) { return kind == WH_USE_ARGUMENT || kind == WH_USE_MEMORY; }

WH_EXPORT void __whence_use(uint64_t value, uint64_t bits, uint64_t origin, uint64_t kind) {
    if (!bits || !event_watched(WH_POINT_USE) || (uses_unwatched && is_of_library(kind))) return;
    struct context context = of_kind(kind, (struct whence_bits){bits, origin}, FRAME_HERE);
    context.event.value = value;
    event_evaluate(&context);
}

void use_argument(uintptr_t address, uint64_t size, const struct frame *frame) {
    struct whence_bits found = __whence_value_load(address, size < 8 ? size : 8);
    if (!found.bits || uses_unwatched || !event_watched(WH_POINT_USE)) return;
    struct context context = of_kind(WH_USE_ARGUMENT, found, frame);
    context.event.value = wh_number(address, size < 8 ? size : 8);
    event_evaluate(&context);
}

/* The undefined bytes from the first one on, as far as they are looked for. */
static void find_undefined(struct undefined_bytes *found, uintptr_t first) {
    uintptr_t end = found->begin + found->size, at = first;
    uintptr_t reach = end - first > WH_UNDEFINED_REACH ? first + WH_UNDEFINED_REACH : end;
    for (; at < reach && found->count < WH_MOST_UNDEFINED; at = values_first(at, end - at)) {
        uint64_t *run = &found->runs[2 * found->count++];
        run[0] = at - found->begin;
        while (at < reach && __whence_value_load(at, 1).bits) at++;
        run[1] = at - found->begin - run[0];
    }
    found->more = at < end && values_first(at, end - at) != end;
}

static struct pointer owner_of(uintptr_t address) {
    struct pointer owner = {.address = address};
    block_read(block_around(address), &owner.block);
    if (owner.block.state != WH_BLOCK_LIVE || address - owner.block.begin >= owner.block.size)
        owner.block.id = 0;
    return owner;
}

void use_memory(uintptr_t begin, uint64_t size, uintptr_t first, const char *library,
                const struct frame *frame) {
    struct whence_bits found = __whence_value_load(first, 1);
    if (!found.bits || uses_unwatched || !event_watched(WH_POINT_USE)) return;
    struct context context = of_kind(WH_USE_MEMORY, found, frame);
    struct undefined_bytes undefined = {.begin = begin, .size = size};
    find_undefined(&undefined, first);
    struct pointer owner = owner_of(first);
    context.event.r = first;
    context.event.value = *(const volatile uint8_t *)first;
    context.library = library;
    context.flags = WH_FLAG_LIBRARY;
    context.undefined = &undefined;
    context.second = &owner;
    event_evaluate(&context);
}
