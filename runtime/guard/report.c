#include "report.h"
#include "../rt/finding.h"
#include "pattern.h"

static int report_late(struct block_place place, struct pattern_damage damage,
                       const struct frame *frame) {
    if (!damage.size) return 0;
    struct context context = {0};
    context.event.point = WH_POINT_DEREF_W;
    context.event.r = context.event.root = damage.begin;
    context.event.width = damage.size;
    context.flags = WH_FLAG_WRITE | WH_FLAG_LATE;
    context.frame = frame;
    context.bad = damage.begin;
    blocks_read(place, &context.event.block);
    return event_evaluate(&context) > 0;
}

/* The last bytes of a plain slot are nearer to the next slot's block than to their own. */
int report_damage(struct block_place place, const struct frame *frame) {
    struct pattern_damage damage = pattern_damage(place);
    if (damage.size && !guard_is_paged(place)) place = blocks_nearest(damage.begin);
    return report_late(place, damage, frame);
}

int report_damage_freed(struct block_place place, const struct frame *frame) {
    return report_late(place, pattern_damage_freed(place), frame);
}

void report_fixed(struct context *context, uint32_t rule, struct block_place place) {
    struct thread *thread = thread_here();
    if (thread->in_finding) return;
    thread->in_finding = 1;
    context->event.now = blocks_tick();
    blocks_read(place, &context->event.block);
    struct witness witness = {rule, NULL, 0, NULL, 1, 0, 0, WH_LEAK_NONE};
    finding_make(context, &witness);
    thread->in_finding = 0;
}
