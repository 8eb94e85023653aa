/* The standard rules written by hand: a stand-in for what is generated from rule files. */
#include <stddef.h>
#include <whence/rules.h>
#include "whence_abi.h"

#define POINT(name) (1ull << WH_POINT_##name)
#define DEREF (POINT(DEREF_R) | POINT(DEREF_W))

static uint64_t fire(const struct whence_event *event, uint64_t rule,
                     const struct whence_block *block) {
    uint64_t values[] = {event->r, block->id};
    __whence_fire(event, rule, block->id ? block : NULL, 2, values);
    return 1;
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

static uint64_t double_free(const struct whence_event *event, uint64_t rule) {
    const struct whence_block *block = &event->block;
    if (block->state != WH_BLOCK_FREED || block->begin != event->r) return 0;
    return fire(event, rule, block);
}

static uint64_t unmatched_free(const struct whence_event *event, uint64_t rule) {
    const struct whence_block *block = &event->block;
    return block->id && block->begin == event->r ? 0 : fire(event, rule, block);
}

static uint64_t leaks(const struct whence_event *event, uint64_t rule, uint64_t only_unpointed) {
    uint64_t cursor = 0, count = 0;
    struct whence_block block;
    while (__whence_next_block(&cursor, WH_BLOCK_LIVE, &block))
        if (!only_unpointed || !__whence_pointed(block.id)) count += fire(event, rule, &block);
    return count;
}

static uint64_t definite_leak(const struct whence_event *event, uint64_t rule) {
    return leaks(event, rule, 1);
}

static uint64_t possible_leak(const struct whence_event *event, uint64_t rule) {
    return leaks(event, rule, 0);
}

/* A block allocated between the call of f and its return that nothing points to. */
static uint64_t leak_in_call(const struct whence_event *event, uint64_t rule) {
    uint64_t cursor = 0, count = 0;
    struct whence_past call;
    struct whence_block block;
    if (!__whence_last_event(event->function, 0, &call)) return 0;
    while (__whence_next_block(&cursor, WH_BLOCK_LIVE, &block))
        if (block.id > call.time && !__whence_pointed(block.id)) count += fire(event, rule, &block);
    return count;
}

/* free of a block from new, delete of a block from malloc. */
static uint64_t mismatch(const struct whence_event *event, uint64_t rule) {
    const struct whence_block *block = &event->block;
    return block->begin == event->r && block->family != event->family ? fire(event, rule, block)
                                                                      : 0;
}

enum { MAIN, TRANSACTION };
static const char *const functions[] = {"main", "transaction"};
static const struct whence_rule rules[] = {
    {"null-dereference", DEREF, ~0ull, null_dereference},
    {"dangling-pointer", DEREF, ~0ull, dangling},
    {"heap-overflow", DEREF, ~0ull, overflow},
    {"double-free", POINT(FREE), ~0ull, double_free},
    {"unmatched-free", POINT(FREE), ~0ull, unmatched_free},
    {"mismatched-free", POINT(FREE), ~0ull, mismatch},
    {"definite-leak", POINT(RET), MAIN, definite_leak},
    {"possible-leak", POINT(RET), MAIN, possible_leak},
    {"leak-in-transaction", POINT(RET), TRANSACTION, leak_in_call},
};

static const struct whence_rule_set set = {
    WHENCE_RULES_ABI, sizeof rules / sizeof *rules, rules, 2, functions, 0, NULL,
};

__attribute__((constructor)) static void register_rules(void) { __whence_register_rules(&set); }
