#include "table.h"
#include "../os/mem.h"
#include "../os/os.h"

_Static_assert(WH_PROFILE_ROWS_AT % 64 == 0 && WH_PROFILE_ROW_SIZE % 64 == 0,
               "what each event changes lies in one line of the processor's cache");

/* ---- the timeline ---- */

/* Two points become one. */
static void halve(const struct table *table) {
    struct wh_profile_point *points = table->points;
    for (unsigned i = 0; i < WH_PROFILE_POINTS / 2; i++) {
        struct wh_profile_point a = points[2 * i], b = points[2 * i + 1];
        const struct wh_profile_point *last = b.time ? &b : &a;
        points[i] = (struct wh_profile_point){.time = a.time ? a.time : b.time,
                                              .most = a.most > b.most ? a.most : b.most,
                                              .live = last->live,
                                              .blocks = last->blocks};
    }
    wh_fill(points + WH_PROFILE_POINTS / 2, 0, sizeof *points * (WH_PROFILE_POINTS / 2));
    table->head->shift++;
}

/* What is alive after the last byte that was allocated or freed. */
static void mark(const struct table *table) {
    struct wh_profile *head = table->head;
    uint64_t at = head->moved ? head->moved - 1 : 0;
    while (WH_UNLIKELY(at >> head->shift >= WH_PROFILE_POINTS)) halve(table);
    struct wh_profile_point *point = &table->points[at >> head->shift];
    if (WH_UNLIKELY(!point->time)) point->time = os_now_us() - head->begun + 1;
    if (point->most < head->live) point->most = head->live;
    point->live = head->live;
    point->blocks = head->blocks;
}

/* ---- rows ---- */

/* Before a row changes: what it had at the peak. */
static void keep(const struct wh_profile *head, struct wh_profile_row *row) {
    if (row->epoch == head->epoch) return;
    row->at_peak = row->live;
    row->blocks_at_peak = row->blocks;
    row->unused_at_peak = row->unused;
    row->epoch = head->epoch;
}

static void add(const struct table *table, struct table_block block, int is_new) {
    struct wh_profile *head = table->head;
    struct wh_profile_row *row = table_row(table, block.row);
    head->live += block.size;
    head->blocks++;
    if (head->live > head->peak) {
        head->peak = head->live;
        head->peak_blocks = head->blocks;
        head->peak_moved = head->moved;
        head->epoch++;
    } else {
        keep(head, row);
    }
    row->live += block.size;
    row->blocks++;
    row->unused += block.unused;
    if (row->live > row->most) row->most = row->live;
    if (!is_new) return;
    row->total += block.size;
    row->total_blocks++;
}

static void take(const struct table *table, struct table_block block) {
    struct wh_profile *head = table->head;
    struct wh_profile_row *row = table_row(table, block.row);
    keep(head, row);
    head->live -= block.size;
    head->blocks--;
    row->live -= block.size;
    row->blocks--;
    row->unused -= block.unused;
}

void table_begin(const struct table *table, uint64_t now_us) {
    struct wh_profile *head = table->head;
    head->version = WH_PROFILE_VERSION;
    head->pid = os_process();
    head->parent = os_parent();
    head->rows = 1;
    head->epoch = 1;
    head->begun = now_us;
    __atomic_store_n(&head->magic, WH_PROFILE_MAGIC, __ATOMIC_RELEASE);
}

void table_inherit(const struct table *table, struct table_block block) {
    table->head->inherited += block.size;
    table->head->inherited_blocks++;
    add(table, block, 0);
}

void table_made(const struct table *table, struct table_block block) {
    table->head->moved += block.size;
    add(table, block, 1);
    mark(table);
}

void table_freed(const struct table *table, struct table_block block, int temporary) {
    table->head->moved += block.size;
    take(table, block);
    mark(table);
    if (!temporary) return;
    struct wh_profile_row *row = table_row(table, block.row);
    row->temporary += block.size;
    row->temporary_blocks++;
}

void table_resized(const struct table *table, struct table_block old, struct table_block block) {
    table->head->moved += old.size + block.size;
    take(table, old);
    add(table, block, 1);
    table_row(table, block.row)->resized_blocks++;
    mark(table);
}
