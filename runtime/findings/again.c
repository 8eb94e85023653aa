#include "again.h"
#include "../os/os.h"
#include "../process/maps.h"
#include "../stacks/depot.h"

static uint64_t step_all(uint64_t key, const uint64_t *words, unsigned count) {
    key = depot_hash_step(key, count);
    for (unsigned i = 0; i < count; i++) key = depot_hash_step(key, words[i]);
    return key ^ key >> 32;
}

/* Sums of leaks can be added only where processes were forked with the same share of them. */
static uint64_t step_leak(uint64_t key, const struct wh_finding *head, const uint64_t *alloc) {
    const uint64_t words[] = {head->leak_kind,          head->leak_check,
                              head->inherited,          head->bytes_inherited,
                              head->indirect_inherited, head->bytes_indirect_inherited};
    key = step_all(key, words, sizeof words / sizeof *words);
    return step_all(key, alloc, head->n_alloc);
}

uint64_t again_key(const struct wh_finding *head, const uint64_t *stack, const uint64_t *alloc) {
    uint64_t code = maps_code();
    if (!code) return 0;
    /* Of children some signals are notes only. */
    const uint64_t words[] = {code,        head->rule,   head->point,
                              head->flags, head->signal, record_process() == head->pid};
    uint64_t key = step_all(DEPOT_HASH_INIT, words, sizeof words / sizeof *words);
    key = step_all(key, stack, head->n_stack);
    if (head->bytes || head->leak_kind) key = step_leak(key, head, alloc);
    return key ? key : 1;
}

static void add(uint64_t *sum, uint64_t all, uint64_t inherited) {
    if (all > inherited) __atomic_add_fetch(sum, all - inherited, __ATOMIC_RELAXED);
}

enum record_status again_count(uint64_t offset, const struct wh_finding *head) {
    struct wh_finding *first = record_finding(offset);
    if (!first) return RECORD_LOST;
    add(&first->count, head->count, head->inherited);
    add(&first->bytes, head->bytes, head->bytes_inherited);
    add(&first->count_indirect, head->count_indirect, head->indirect_inherited);
    add(&first->bytes_indirect, head->bytes_indirect, head->bytes_indirect_inherited);
    __atomic_add_fetch(&first->repeats, 1, __ATOMIC_RELAXED);
    return RECORD_OK;
}

void again_met(uint64_t offset) {
    struct wh_finding *first = offset ? record_finding(offset) : NULL;
    if (first) __atomic_add_fetch(&first->repeats, 1, __ATOMIC_RELAXED);
}
