/* Arithmetic that may be undefined. */
#include "entry.h"
#include "event.h"
#include "threads.h"

static uint64_t least(uint64_t bits, int is_unsigned) {
    return is_unsigned ? 0 : ~0ull << (bits - 1);
}

static uint64_t greatest(uint64_t bits, int is_unsigned) {
    return ~0ull >> (64 - bits + !is_unsigned);
}

__attribute__((used, visibility("hidden"))) void
whence_step_checked(uint64_t a, uint64_t b, uint32_t desc, const struct frame *frame) {
    uint64_t bits = (desc & (WHENCE_STEP_UNSIGNED - 1)) >> WHENCE_STEP_BITS_SHIFT;
    int is_unsigned = (desc & WHENCE_STEP_UNSIGNED) != 0;
    struct context context = {0};
    thread_here();
    context.event.point = desc & WHENCE_STEP_POINT;
    context.event.value = a;
    context.event.other = b;
    context.event.width = bits;
    context.event.low = least(bits, is_unsigned);
    context.event.high = greatest(bits, is_unsigned);
    context.frame = frame;
    event_evaluate(&context);
}

KEEPING_ENTRY("__whence_step", "whence_step_checked");
