/* Steps that may be undefined: arithmetic, and what the front end relies on. */
#include "entry.h"
#include "event.h"
#include "threads.h"

static uint64_t least(uint64_t bits, int is_unsigned) {
    return is_unsigned ? 0 : ~0ull << (bits - 1);
}

static uint64_t greatest(uint64_t bits, int is_unsigned) {
    return ~0ull >> (64 - bits + !is_unsigned);
}

static void number(struct whence_event *event, uint64_t value, uint32_t desc) {
    uint64_t bits = (desc & (WHENCE_STEP_UNSIGNED - 1)) >> WHENCE_STEP_BITS_SHIFT;
    int is_unsigned = (desc & WHENCE_STEP_UNSIGNED) != 0;
    event->value = value;
    event->width = bits;
    if (!bits) return;
    event->low = least(bits, is_unsigned);
    event->high = greatest(bits, is_unsigned);
}

static void pointer(struct whence_event *event, uintptr_t address, uint64_t value, uint32_t desc) {
    event->r = event->root = address;
    event->value = value;
    event->width = desc >> WHENCE_STEP_SIZE_SHIFT;
    block_read(block_at(address), &event->block);
}

__attribute__((used, visibility("hidden"))) void
whence_step_checked(uint64_t a, uint64_t b, uint32_t desc, const struct frame *frame) {
    struct context context = {0};
    thread_here();
    context.event.point = desc & WHENCE_STEP_POINT;
    if (desc & WHENCE_STEP_POINTER) {
        pointer(&context.event, a, b, desc);
    } else {
        number(&context.event, a, desc);
        context.event.other = b;
    }
    context.frame = frame;
    event_evaluate(&context);
}

KEEPING_ENTRY("__whence_step", "whence_step_checked");
