#include "leak.h"
#include "mark.h"
#include "roots.h"
#include "stop.h"
#include "../os/os.h"
#include "../rt/images.h"

/* ---- the search ---- */

static struct os_lock search_lock; /* one event at a time */
static int marked;
static uintptr_t search_sp; /* everything the calling thread still uses lies at and above */

static void visit(uintptr_t begin, uintptr_t end, int system) {
    mark_range(begin, end, system ? MARK_SYSTEM : MARK_REACHED);
}

/* 0 if it is not known what the program holds. */
static int search(void) {
    static int missing;
    struct parking parking;
    parking_begin(&parking);
    if (parking.missing)
        rt_note(&missing, "a thread could not be stopped for the leak search: its whole stack "
                          "counts as in use, and a leaked block may be missed");
    size_t count = 0;
    int complete = 0;
    uint64_t room = wh_round_up((parking.count + 1) * sizeof(struct stack_top), OS_PAGE);
    struct stack_top *stacks = (struct stack_top *)os_map(room);
    if (stacks) {
        stacks[count++].sp = search_sp;
        for (size_t i = 0; i < parking.count; i++)
            if (__atomic_load_n(&parking.threads[i].stands, __ATOMIC_ACQUIRE))
                stacks[count++].sp = parking.threads[i].sp;
        complete = roots_each(stacks, count, visit);
        os_unmap((uintptr_t)stacks, room);
    }
    parking_end(&parking);
    if (complete) mark_indirect();
    return complete;
}

/* 0 if there is no memory to search with, or nothing to search in. */
static int ensure_marks(void) {
    static int failed;
    if (marked) return marked > 0;
    marked = mark_init() ? 1 : -1;
    if (marked > 0 && !search()) {
        mark_deinit();
        marked = -1;
    }
    if (marked < 0)
        rt_note(&failed, "no memory for the leak search, or /proc/self/maps cannot be read: every "
                         "block counts as in use");
    return marked > 0;
}

int leak_pointed(struct block_place place) {
    if (!ensure_marks()) return 1;
    return (*mark_of(place) & (MARK_REACHED | MARK_SYSTEM)) != 0;
}

/* ---- findings by rule and allocation stack ---- */

struct group {
    uint64_t rule;
    uint32_t stack;
    uint32_t value_count;
    struct whence_block first;
    uint64_t values[4]; /* of the first witness */
    uint64_t count, bytes, count_indirect;
};

#define GROUPS_MOST 16384u

static struct group *groups;
static uint32_t *table; /* open addressing, group number + 1 */
#define TABLE_SIZE (4 * GROUPS_MOST)
static uint32_t group_count;
static uint64_t groups_lost;

void leak_begin(const struct context *context) {
    images_refresh();
    os_lock(&search_lock);
    marked = 0;
    search_sp = context->stack_low ? context->stack_low : (uintptr_t)__builtin_frame_address(0);
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

static struct group *group_of(uint64_t rule, uint32_t stack) {
    uint64_t hash = depot_hash_step(depot_hash_step(DEPOT_HASH_INIT, rule), stack) >> 32;
    for (uint32_t i = 0;; i++) {
        uint32_t *entry = &table[(hash + i) % TABLE_SIZE];
        if (*entry && groups[*entry - 1].rule == rule && groups[*entry - 1].stack == stack)
            return &groups[*entry - 1];
        if (*entry) continue;
        if (group_count == GROUPS_MOST) return NULL;
        *entry = ++group_count;
        groups[*entry - 1].rule = rule;
        groups[*entry - 1].stack = stack;
        return &groups[*entry - 1];
    }
}

static void begin_group(struct group *group, const struct witness *witness) {
    group->first = *witness->block;
    group->value_count = (uint32_t)witness->value_count;
    if (group->value_count > 4) group->value_count = 4;
    for (uint32_t i = 0; i < group->value_count; i++) group->values[i] = witness->values[i];
}

/* What the loader and the C library keep for themselves until the end is not
 * the program's to free. */
static int is_systems_own(uint8_t mark, uint32_t stack) {
    uint64_t pc = 0;
    depot_get(stack, &pc, 1);
    return (mark & MARK_SYSTEM) || roots_in_loader(pc);
}

/* Where the program itself carries no IR, as under an interpreter, only blocks are
 * the user's that code with IR allocated, directly or through the C library. */
static int is_foreign(uint32_t stack) {
    if (images_main_instrumented()) return 0;
    uint64_t pcs[WH_ALLOC_FRAMES];
    unsigned count = depot_get(stack, pcs, WH_ALLOC_FRAMES), at = 0;
    while (at < count && images_kind(pcs[at]) == IMAGE_SYSTEM) at++;
    return at == count || images_kind(pcs[at]) != IMAGE_INSTRUMENTED;
}

void leak_collect(struct context *context, const struct witness *witness) {
    struct block_place place = block_place(witness->block->begin);
    uint8_t *mark = place.index && ensure_marks() ? mark_of(place) : NULL;
    uint32_t stack = place.index ? block_record(place.shift, place.index)->alloc_stack : 0;
    if (mark && (*mark & MARK_CLAIMED)) return;
    if (mark && context->at_end && is_systems_own(*mark, stack)) return;
    if (is_foreign(stack)) return;
    if (mark) *mark |= MARK_CLAIMED;
    struct group *group = ensure_groups() ? group_of(witness->rule, stack) : NULL;
    if (!group) {
        groups_lost++;
        return;
    }
    if (!group->count) begin_group(group, witness);
    group->count++;
    group->bytes += witness->block->size;
    if (mark && (*mark & MARK_INDIRECT)) group->count_indirect++;
    context->findings++;
}

/* What a later event would tell again, for a function that returns many times. */
static int told(const struct context *context, const struct group *group) {
    if (context->at_end) return 0;
    uint64_t key = depot_hash_step(depot_hash_step(DEPOT_HASH_INIT, group->rule), group->stack);
    return !finding_first_time(depot_hash_step(key, context->event.function));
}

void leak_end(struct context *context) {
    static int lost;
    if (marked > 0) mark_deinit();
    marked = 0;
    for (uint32_t i = 0; i < group_count; i++) {
        const struct group *group = &groups[i];
        if (told(context, group)) continue;
        struct witness witness = {group->rule,  &group->first, group->value_count,   group->values,
                                  group->count, group->bytes,  group->count_indirect};
        finding_make(context, &witness);
    }
    if (groups_lost) rt_note(&lost, "more than 16384 places leak: the rest is not listed");
    if (groups) os_unmap((uintptr_t)groups, GROUPS_MOST * sizeof *groups);
    if (groups && table) os_unmap((uintptr_t)table, TABLE_SIZE * sizeof *table);
    groups = NULL;
    os_unlock(&search_lock);
}
