#include "uses.h"
#include "../include/whence/values.h"

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

void use_memory(uintptr_t address, const char *library, const struct frame *frame) {
    struct whence_bits found = __whence_value_load(address, 1);
    if (!found.bits || uses_unwatched || !event_watched(WH_POINT_USE)) return;
    struct context context = of_kind(WH_USE_MEMORY, found, frame);
    context.event.r = address;
    context.event.value = *(const volatile uint8_t *)address;
    context.library = library;
    context.flags = WH_FLAG_LIBRARY;
    event_evaluate(&context);
}
