#include "report.h"
#include "../findings/finding.h"
#include "../settings/options.h"
#include "pattern.h"

static int report_late(struct block place, struct pattern_damage damage,
                       const struct frame *frame) {
    if (!damage.size) return 0;
    struct context context = {0};
    context.event.point = WH_POINT_DEREF_W;
    context.event.r = context.event.root = damage.begin;
    context.event.width = damage.size;
    context.flags = WH_FLAG_WRITE | WH_FLAG_LATE;
    context.frame = frame;
    context.bad = damage.begin;
    block_read(place, &context.event.block);
    return event_evaluate(&context) > 0;
}

/* In a plain slot the damage may be nearer to the next slot's block, which it is then reported for.
 */
int report_damage(struct block place, const struct frame *frame) {
    struct pattern_damage damage = pattern_damage(place);
    if (damage.size && !guard_is_paged(place)) place = block_nearest(damage.begin);
    return report_late(place, damage, frame);
}

int report_damage_freed(struct block place, const struct frame *frame) {
    return report_late(place, pattern_damage_freed(place), frame);
}

static int is_wanted(uint32_t rule) {
    switch (rule) {
#define X(number, name, option)                                                                    \
    case number: return options.option != 0;
        WH_FIXED_FINDINGS(X)
#undef X
    default: return 1;
    }
}

void guard_empty(uintptr_t begin, uint8_t family, const struct frame *frame) {
    struct context context = {0};
    context.event.point = WH_POINT_ALLOC;
    context.event.r = context.event.root = begin;
    context.event.family = family;
    context.frame = frame;
    if (family != WH_FAMILY_MALLOC)
        context.library = family == WH_FAMILY_NEW ? "operator new" : "operator new[]";
    report_fixed(&context, WH_RULE_EMPTY_ALLOCATION, heap_block(begin));
}

int report_fixed(struct context *context, uint32_t rule, struct block place) {
    struct thread *thread = thread_here();
    if (!is_wanted(rule)) return 0;
    if (thread->in_finding) return 1;
    thread->in_finding = 1;
    context->event.now = blocks_tick();
    block_read(place, &context->event.block);
    struct witness witness = {rule, NULL, 0, NULL, {.count = 1}, WH_LEAK_NONE, {0}};
    finding_make(context, &witness);
    thread->in_finding = 0;
    return 1;
}
