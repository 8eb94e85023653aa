/* What is counted of the heap for each stack that allocates; the format and its meaning:
 * whence.abi.profile. Callers see to it that one thread at a time changes a table. */
#ifndef WHENCE_PROFILE_TABLE_H
#define WHENCE_PROFILE_TABLE_H

#include <stdint.h>
#include "whence_abi.h"

struct table {
    struct wh_profile *head;
    struct wh_profile_point *points;
    uintptr_t rows;
};

/* The parts of a file that is mapped at an address. */
static inline struct table table_at(uintptr_t begin) {
    return (struct table){(struct wh_profile *)begin,
                          (struct wh_profile_point *)(begin + WH_PROFILE_POINTS_AT),
                          begin + WH_PROFILE_ROWS_AT};
}

static inline struct wh_profile_row *table_row(const struct table *table, uint32_t row) {
    return (struct wh_profile_row *)(table->rows + (uint64_t)row * WH_PROFILE_ROW_SIZE);
}

static inline uint64_t *table_frames(struct wh_profile_row *row) { return (uint64_t *)(row + 1); }

/* A block; unused: what the allocator gave beyond its size. */
struct table_block {
    uint64_t size, unused;
    uint32_t row;
};

/* The table is empty, as a new file is. */
void table_begin(const struct table *table, uint64_t now_us);
/* A block that was there before the profile began. */
void table_inherit(const struct table *table, struct table_block block);
void table_made(const struct table *table, struct table_block block);
/* temporary: the thread has allocated nothing since it got the block. */
void table_freed(const struct table *table, struct table_block block, int temporary);
/* One block takes the place of another one: at no time both are there. */
void table_resized(const struct table *table, struct table_block old, struct table_block block);

#endif
