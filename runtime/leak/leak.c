#include "leak.h"
#include "roots.h"
#include "excuse.h"
#include "mark.h"
#include "search.h"
#include "reported.h"
#include "../origins/nodes.h"
#include "../origins/recipes.h"
#include "../os/os.h"
#include "../record/record.h"
#include "../process/images.h"
#include "../process/maps.h"
#include "../settings/options.h"

#include <pthread.h>

static WH_WRITTEN struct os_lock search_lock; /* one event at a time */
struct wh_leaks leak_last;

void leak_lock(void) {
    os_lock(&search_lock);
    excuse_lock();
}

void leak_unlock(void) {
    excuse_unlock();
    os_unlock(&search_lock);
}

int leak_pointed(struct block block, enum leak_pointers pointers) {
    const uint8_t *marks = search_marks(block);
    if (!marks) return pointers != LEAK_LOST;
    switch (pointers) {
    case LEAK_ANY: return (*marks & MARK_POINTED) != 0;
    case LEAK_STRONG: return (*marks & (MARK_REACHED | MARK_SYSTEM)) != 0;
    default: return (*marks & MARK_INDIRECT) != 0;
    }
}

/* ---- findings by rule, allocation stack and kind ---- */

struct group {
    uint64_t rule;
    uint32_t stack;
    uint32_t kind; /* WH_LEAK_* */
    uint32_t head; /* of indirect leaks, the allocation stack of the lost block that leads there */
    uint32_t value_count;
    struct whence_block first;
    uint64_t values[4]; /* of the first witness */
    struct leak_sum all, inherited;
};

#define GROUPS_MOST 16384u
#define TABLE_SIZE (4 * GROUPS_MOST)

static WH_WRITTEN struct group *groups;
static uint32_t *table; /* open addressing, group number + 1 */
static WH_WRITTEN uint32_t group_count;
static WH_WRITTEN uint64_t groups_lost;

void leak_begin(const struct context *context) {
    static WH_WRITTEN struct search search;
    /* A signal may have interrupted the loader. Without blocks nothing is asked about images. */
    if (!context->pc && search_heap_lives()) images_refresh();
    if (ORIGINS_ON) use_settle();
    blocks_search(1); /* the order of locks is that of fork */
    os_lock(&search_lock);
    search = (struct search){context->stack_low, context->pc};
    search_begin(&search);
    groups = NULL;
    group_count = 0;
    groups_lost = 0;
}

static int ensure_groups(void) {
    if (groups) return 1;
    groups = (struct group *)os_map(GROUPS_MOST * sizeof *groups);
    table = (uint32_t *)os_map(TABLE_SIZE * sizeof *table);
    return groups && table;
}

static int is_like(const struct group *a, const struct group *b) {
    return a->rule == b->rule && a->stack == b->stack && a->kind == b->kind && a->head == b->head;
}

/* Where the number of a group like this stands, or is to stand. */
static uint32_t *entry_of(const struct group *like) {
    uint64_t hash = depot_hash_step(depot_hash_step(DEPOT_HASH_INIT, like->rule), like->stack);
    hash = depot_hash_step(depot_hash_step(hash, like->kind), like->head) >> 32;
    for (uint32_t i = 0;; i++) {
        uint32_t *entry = &table[(hash + i) % TABLE_SIZE];
        if (!*entry || is_like(&groups[*entry - 1], like)) return entry;
    }
}

static struct group *group_of(const struct group *like) {
    uint32_t *entry = entry_of(like);
    if (*entry) return &groups[*entry - 1];
    if (group_count == GROUPS_MOST) return NULL;
    *entry = ++group_count;
    groups[group_count - 1] = *like;
    return &groups[group_count - 1];
}

static void begin_group(struct group *group, const struct witness *witness) {
    group->first = *witness->block;
    group->value_count = (uint32_t)witness->value_count;
    if (group->value_count > 4) group->value_count = 4;
    for (uint32_t i = 0; i < group->value_count; i++) group->values[i] = witness->values[i];
}

static void begins(const struct new_thread *thread) {
    (void)thread;
    roots_stack_born((uintptr_t)pthread_self());
}

static void ends(void) {
    if (thread_self.number)
        roots_stack_died((uintptr_t)pthread_self());
    else
        roots_main_stack_died(thread_self.stack.high);
}

const struct observer leak_observer = {
    .always = 1,
    .begins = begins,
    .ends = ends,
    .forked = search_forked,
};

static void excuse_lost(void) {
    uint64_t cursor = 0;
    struct block block;
    while (block_exists(block = block_next(&cursor, WH_BLOCK_LIVE))) {
        const uint8_t *marks = search_marks(block);
        if (marks && !(*marks & (MARK_REACHED | MARK_SYSTEM))) excuse_block(block_begin(block));
    }
}

static void look_for_lost(void) {
    __builtin_unwind_init();
    struct search search = {0};
    __asm__ volatile("mov %%rsp, %0" : "=r"(search.stack_low));
    blocks_search(1);
    os_lock(&search_lock);
    search_begin(&search);
    excuse_lost();
    search_end();
    os_unlock(&search_lock);
    blocks_search(0);
}

/* A search of so many bytes of blocks takes no longer than forking them. */
#define SMALL_HEAP (64ull << 20)

static int is_small_heap(void) {
    uint64_t cursor = 0, bytes = 0;
    struct block block;
    while (bytes <= SMALL_HEAP && block_exists(block = block_next(&cursor, WH_BLOCK_LIVE)))
        bytes += block_size(block);
    return bytes <= SMALL_HEAP;
}

void leak_excuse_lost(void) {
    if (!options.leaks || options.explore || !search_heap_lives()) return;
    if (is_small_heap())
        look_for_lost();
    else
        port_look_first(look_for_lost);
}

static void add_to_sum(struct leak_sum *sum, uint64_t bytes, uint32_t kind) {
    sum->count++;
    sum->bytes += bytes;
    if (kind != WH_LEAK_INDIRECT) return;
    sum->indirect++;
    sum->indirect_bytes += bytes;
}

static void add_to_group(struct group *group, const struct witness *witness) {
    if (!group->all.count) begin_group(group, witness);
    add_to_sum(&group->all, witness->block->size, group->kind);
    if (search_is_inherited(witness->block->id))
        add_to_sum(&group->inherited, witness->block->size, group->kind);
}

static uint32_t stack_of(struct block block) {
    return block_exists(block) ? block_alloc_stack(block) : 0;
}

void leak_collect(struct context *context, const struct witness *witness) {
    struct block block = block_handed_out(witness->block->begin);
    if (!block_exists(block) || block_id(block) != witness->block->id)
        block = block_around(witness->block->begin);
    uint8_t *marks = search_marks(block);
    if (marks ? *marks & MARK_CLAIMED : search_is_done()) return;
    if (block_exists(block) && search_is_foreign(block)) return;
    if (marks && context->check && search_is_kept(*marks, block)) return;
    if (marks) *marks |= MARK_CLAIMED;
    if (context->check && !reported_first_time(witness->rule, witness->block->id, context->check))
        return;
    struct group like = {.rule = witness->rule, .stack = stack_of(block)};
    like.kind = marks ? search_kind(*marks) : WH_LEAK_NONE;
    if (like.kind == WH_LEAK_INDIRECT) like.head = stack_of(mark_head(block));
    struct group *group = ensure_groups() ? group_of(&like) : NULL;
    context->new_leaks++;
    if (group)
        add_to_group(group, witness);
    else
        groups_lost++;
    context->findings++;
}

static void add_sum(struct leak_sum *sum, const struct leak_sum *more) {
    sum->count += more->count;
    sum->bytes += more->bytes;
    sum->indirect += more->indirect;
    sum->indirect_bytes += more->indirect_bytes;
}

/* A lost structure is one finding, about its head. Where the same rule has no finding about the
 * head, as when a library allocated the head, the blocks that it leads to keep a finding of their
 * own. */
static void fold(void) {
    for (uint32_t i = 0; i < group_count; i++) {
        struct group *group = &groups[i];
        if (group->kind != WH_LEAK_INDIRECT) continue;
        uint32_t owner = *entry_of(
            &(struct group){.rule = group->rule, .stack = group->head, .kind = WH_LEAK_DEFINITE});
        if (!owner) continue;
        add_sum(&groups[owner - 1].all, &group->all);
        add_sum(&groups[owner - 1].inherited, &group->inherited);
        group->all.count = 0;
    }
}

/* Whether an earlier event of the same function reported this group: a function may return often.
 */
static int was_reported(const struct context *context, const struct group *group) {
    if (context->check) return 0;
    uint64_t key = depot_hash_step(depot_hash_step(DEPOT_HASH_INIT, group->rule), group->stack);
    return !finding_first_time(depot_hash_step(key, context->event.function));
}

static void write_totals(const struct context *context) {
    struct wh_leaks totals;
    if (!search_totals(&totals)) return;
    totals.check = context->check;
    totals.pid = os_process();
    totals.time = context->event.now;
    leak_last = totals;
    struct record_part part = {&totals, sizeof totals};
    record_append(WH_RECORD_LEAKS, &part, 1);
}

static void report_groups(struct context *context) {
    static int lost;
    if (group_count) maps_keep();
    fold();
    for (uint32_t i = 0; i < group_count; i++) {
        const struct group *group = &groups[i];
        if (!group->all.count || was_reported(context, group)) continue;
        struct witness witness = {group->rule, &group->first, group->value_count, group->values,
                                  group->all,  group->kind,   group->inherited};
        finding_make(context, &witness);
    }
    if (group_count) maps_let_go();
    if (groups_lost) rt_note(&lost, "more than 16384 places leak: the rest is not listed");
}

void leak_end(struct context *context) {
    /* Nobody counts what a path of an exploration holds at its end. */
    if (context->check && !(options.explore && context->check == WH_CHECK_END))
        write_totals(context);
    search_end();
    report_groups(context);
    if (groups) os_unmap((uintptr_t)groups, GROUPS_MOST * sizeof *groups);
    if (groups && table) os_unmap((uintptr_t)table, TABLE_SIZE * sizeof *table);
    groups = NULL;
    os_unlock(&search_lock);
    blocks_search(0);
}
