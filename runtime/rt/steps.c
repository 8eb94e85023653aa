/* Steps that may be undefined: arithmetic, and what the front end relies on. */
#include "entry.h"
#include "event.h"
#include "order.h"
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

/* ---- pairs of pointers ---- */

/* The end of one block may be the begin of another. */
static struct block ends_at(uintptr_t address) {
    struct block block = block_at(address - 1);
    int ends = block_is_live(block) && block_begin(block) + block_size(block) == address;
    return ends ? block : block_none();
}

/* Whether both addresses are in live blocks, or at their ends, and not in the same. */
static int apart(uintptr_t a, uintptr_t b) {
    struct block at_a = block_at(a), before_a = ends_at(a);
    struct block at_b = block_at(b), before_b = ends_at(b);
    if (!block_is_live(at_a)) at_a = before_a;
    if (!block_is_live(at_b)) at_b = before_b;
    if (!block_exists(at_a) || !block_exists(at_b)) return 0;
    if (block_same(at_a, at_b) || block_same(at_a, before_b)) return 0;
    return !block_same(before_a, at_b) &&
           !(block_exists(before_a) && block_same(before_a, before_b));
}

static void pair(uint32_t point, uintptr_t a, uintptr_t b, const struct frame *frame) {
    if (!event_watched(point) || !apart(a, b)) return;
    struct context context = {0};
    context.event.point = point;
    context.event.r = context.event.root = a;
    context.event.other = b;
    context.event.value = 1;
    struct block block = block_at(a);
    block_read(block_is_live(block) ? block : ends_at(a), &context.event.block);
    context.frame = frame;
    event_evaluate(&context);
}

/* ---- accesses before main ---- */

static void order(uintptr_t address, const struct frame *frame) {
    if (!event_watched(WH_POINT_ORDER) || !order_is_early(address)) return;
    struct context context = {0};
    context.event.point = WH_POINT_ORDER;
    context.event.r = context.event.root = address;
    context.event.value = 1;
    block_read(block_at(address), &context.event.block);
    context.frame = frame;
    event_evaluate(&context);
}

__attribute__((used, visibility("hidden"))) void
whence_step_checked(uint64_t a, uint64_t b, uint32_t desc, const struct frame *frame) {
    struct context context = {0};
    thread_here();
    context.event.point = desc & WHENCE_STEP_POINT;
    if (context.event.point == WH_POINT_COMPARE || context.event.point == WH_POINT_DIFFERENCE) {
        pair(desc & WHENCE_STEP_POINT, a, b, frame);
        return;
    }
    if (context.event.point == WH_POINT_ORDER) {
        order(a, frame);
        return;
    }
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
