/* The rules of a preloaded library without a launcher, whose generated detectors say the same and
 * take precedence: heap.rules and leaks.rules of whence.rules.standard, as far as an allocator
 * alone can tell. */
#include "rules.h"
#include "../rt/event.h"

#define POINT(name) (1ull << WH_POINT_##name)
#define DEREF (POINT(DEREF_R) | POINT(DEREF_W))

static uint64_t fire(const struct whence_event *event, uint64_t rule,
                     const struct whence_block *block) {
    __whence_fire(event, rule, block->id ? block : NULL, 1, &event->r);
    return 1;
}

static int has_address_of(uint64_t kind, const struct whence_event *event) {
    return __whence_kind(event->r) == kind;
}

static int is_within(const struct whence_event *event) {
    const struct whence_block *block = &event->block;
    return block->id && event->r > block->begin && event->r <= block->begin + block->size;
}

static uint64_t unmatched_free(const struct whence_event *event, uint64_t rule) {
    const struct whence_block *block = &event->block;
    if (block->id && (event->r == block->begin || is_within(event))) return 0;
    if (has_address_of(WH_KIND_STACK, event) || has_address_of(WH_KIND_GLOBAL, event)) return 0;
    return fire(event, rule, block);
}

static uint64_t double_free(const struct whence_event *event, uint64_t rule) {
    const struct whence_block *block = &event->block;
    int again = block->state == WH_BLOCK_FREED && block->begin == event->r;
    return again ? fire(event, rule, block) : 0;
}

static uint64_t free_of_stack(const struct whence_event *event, uint64_t rule) {
    return has_address_of(WH_KIND_STACK, event) ? fire(event, rule, &event->block) : 0;
}

static uint64_t free_of_global(const struct whence_event *event, uint64_t rule) {
    return has_address_of(WH_KIND_GLOBAL, event) ? fire(event, rule, &event->block) : 0;
}

static uint64_t free_inside(const struct whence_event *event, uint64_t rule) {
    return is_within(event) ? fire(event, rule, &event->block) : 0;
}

static uint64_t mismatched_free(const struct whence_event *event, uint64_t rule) {
    const struct whence_block *block = &event->block;
    int mismatch = block->state == WH_BLOCK_LIVE && block->begin == event->r &&
                   block->family != event->family;
    return mismatch ? fire(event, rule, block) : 0;
}

static uint64_t null_dereference(const struct whence_event *event, uint64_t rule) {
    return event->r < WH_NULL_PAGE_SIZE ? fire(event, rule, &event->block) : 0;
}

static uint64_t dangling(const struct whence_event *event, uint64_t rule) {
    return event->block.state == WH_BLOCK_FREED ? fire(event, rule, &event->block) : 0;
}

static uint64_t overflow(const struct whence_event *event, uint64_t rule) {
    const struct whence_block *block = &event->block;
    if (block->state != WH_BLOCK_LIVE) return 0;
    if (event->r >= block->begin && event->r + event->width <= block->begin + block->size) return 0;
    return fire(event, rule, block);
}

static uint64_t bad_alignment(const struct whence_event *event, uint64_t rule) {
    int power = event->other && !(event->other & (event->other - 1));
    return event->family != WH_FAMILY_MALLOC && !power ? fire(event, rule, &event->block) : 0;
}

static uint64_t definite_leak(const struct whence_event *event, uint64_t rule) {
    uint64_t cursor = 0, count = 0;
    struct whence_block block;
    while (__whence_next_block(&cursor, WH_BLOCK_LIVE, &block))
        if (!__whence_pointed(block.id)) count += fire(event, rule, &block);
    return count;
}

static const char *const functions[] = {"main"};
static const struct whence_rule rules[] = {
    {"unmatched-free", POINT(FREE), ~0ull, unmatched_free},
    {"double-free", POINT(FREE), ~0ull, double_free},
    {"free-of-stack", POINT(FREE), ~0ull, free_of_stack},
    {"free-of-global", POINT(FREE), ~0ull, free_of_global},
    {"free-inside-block", POINT(FREE), ~0ull, free_inside},
    {"mismatched-free", POINT(FREE), ~0ull, mismatched_free},
    {"null-pointer-dereference", DEREF, ~0ull, null_dereference},
    {"dangling-pointer-dereference", DEREF, ~0ull, dangling},
    {"heap-buffer-overflow", DEREF, ~0ull, overflow},
    {"bad-alignment", POINT(ALLOC), ~0ull, bad_alignment},
    {"definite-leak", POINT(RET), 0, definite_leak},
};

const struct whence_rule_set preload_rules = {
    WHENCE_RULES_ABI, sizeof rules / sizeof *rules, rules, 1, functions,
};
