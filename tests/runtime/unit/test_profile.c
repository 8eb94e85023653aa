/* modules: profile/table os/os */
#include "../../../runtime/profile/table.h"
#include "unit.h"

#define ROWS 4u
#define SIZE (WH_PROFILE_ROWS_AT + ROWS * WH_PROFILE_ROW_SIZE)

static struct table fresh(void) {
    void *file = NULL;
    CHECK(posix_memalign(&file, 4096, SIZE) == 0);
    memset(file, 0, SIZE);
    struct table table = table_at((uintptr_t)file);
    table_begin(&table, 0);
    CHECK_EQUAL(table.head->magic, WH_PROFILE_MAGIC);
    return table;
}

static struct table_block block(uint64_t size, uint32_t row) {
    return (struct table_block){size, size % 3, row};
}

/* What a reader takes for a row's share of the peak. */
static uint64_t at_peak(const struct table *table, uint32_t row) {
    const struct wh_profile_row *of = table_row(table, row);
    return of->epoch == table->head->epoch ? of->at_peak : of->live;
}

static uint64_t unused_at_peak(const struct table *table, uint32_t row) {
    const struct wh_profile_row *of = table_row(table, row);
    return of->epoch == table->head->epoch ? of->unused_at_peak : of->unused;
}

static uint64_t blocks_at_peak(const struct table *table, uint32_t row) {
    const struct wh_profile_row *of = table_row(table, row);
    return of->epoch == table->head->epoch ? of->blocks_at_peak : of->blocks;
}

static void known_answer(void) {
    struct table table = fresh();
    table_made(&table, block(100, 1));
    table_made(&table, block(50, 2));
    table_freed(&table, block(50, 2), 1);
    table_made(&table, block(40, 3)); /* no new peak */
    table_freed(&table, block(100, 1), 0);
    CHECK_EQUAL(table.head->peak, 150);
    CHECK_EQUAL(table.head->peak_blocks, 2);
    CHECK_EQUAL(table.head->peak_moved, 150);
    CHECK_EQUAL(table.head->moved, 340);
    CHECK_EQUAL(at_peak(&table, 1), 100);
    CHECK_EQUAL(at_peak(&table, 2), 50);
    CHECK_EQUAL(at_peak(&table, 3), 0);
    CHECK_EQUAL(table_row(&table, 2)->temporary, 50);
    CHECK_EQUAL(table_row(&table, 1)->temporary_blocks, 0);
    CHECK_EQUAL(table.head->live, 40);
    /* The new block takes the place of the old one: both are never there together. */
    table_resized(&table, block(40, 3), block(149, 3));
    CHECK_EQUAL(table.head->peak, 150);
    CHECK_EQUAL(table.head->live, 149);
    table_resized(&table, block(149, 3), block(151, 1));
    CHECK_EQUAL(table.head->peak, 151);
    CHECK_EQUAL(at_peak(&table, 1), 151);
    CHECK_EQUAL(at_peak(&table, 3), 0);
    CHECK_EQUAL(table_row(&table, 1)->resized_blocks, 1);
    CHECK_EQUAL(table_row(&table, 1)->total, 251);
    free(table.head);
}

/* Against a model that copies all rows at each new peak. */
static void like_a_model(void) {
    enum { LIVE = 200 };
    struct table table = fresh();
    struct table_block live[LIVE];
    unsigned count = 0;
    uint64_t bytes[ROWS] = {0}, blocks[ROWS] = {0}, unused[ROWS] = {0};
    uint64_t peak_bytes[ROWS] = {0}, peak_blocks[ROWS] = {0}, peak_unused[ROWS] = {0};
    uint64_t sum = 0, peak = 0, most_of_points = 0;
    for (unsigned round = 0; round < 50000; round++) {
        if (count < LIVE && (!count || unit_below(2))) {
            struct table_block made = block(1 + unit_below(1000), (uint32_t)unit_below(ROWS));
            table_made(&table, made);
            live[count++] = made;
            sum += made.size;
            bytes[made.row] += made.size;
            unused[made.row] += made.unused;
            blocks[made.row]++;
        } else {
            unsigned at = (unsigned)unit_below(count);
            struct table_block gone = live[at];
            table_freed(&table, gone, 0);
            live[at] = live[--count];
            sum -= gone.size;
            bytes[gone.row] -= gone.size;
            unused[gone.row] -= gone.unused;
            blocks[gone.row]--;
        }
        if (sum > peak) {
            peak = sum;
            memcpy(peak_bytes, bytes, sizeof bytes);
            memcpy(peak_blocks, blocks, sizeof blocks);
            memcpy(peak_unused, unused, sizeof unused);
        }
        CHECK_EQUAL(table.head->live, sum);
    }
    CHECK_EQUAL(table.head->peak, peak);
    for (uint32_t row = 0; row < ROWS; row++) {
        CHECK_EQUAL(at_peak(&table, row), peak_bytes[row]);
        CHECK_EQUAL(blocks_at_peak(&table, row), peak_blocks[row]);
        CHECK_EQUAL(unused_at_peak(&table, row), peak_unused[row]);
        CHECK_EQUAL(table_row(&table, row)->live, bytes[row]);
    }
    /* The timeline has become coarser, and has lost neither the peak nor the end. */
    uint64_t last = (table.head->moved - 1) >> table.head->shift;
    CHECK(last >= WH_PROFILE_POINTS / 2 && last < WH_PROFILE_POINTS);
    for (unsigned i = 0; i < WH_PROFILE_POINTS; i++)
        if (table.points[i].most > most_of_points) most_of_points = table.points[i].most;
    CHECK_EQUAL(most_of_points, peak);
    CHECK_EQUAL(table.points[last].live, sum);
    free(table.head);
}

static void inherited(void) {
    struct table table = fresh();
    table_inherit(&table, block(70, 1));
    table_inherit(&table, block(30, 2));
    CHECK_EQUAL(table.head->inherited, 100);
    CHECK_EQUAL(table.head->peak, 100);
    CHECK_EQUAL(table.head->moved, 0);
    CHECK_EQUAL(table_row(&table, 1)->total, 0);
    table_freed(&table, block(70, 1), 0);
    CHECK_EQUAL(table.head->live, 30);
    CHECK_EQUAL(at_peak(&table, 1), 70);
    free(table.head);
}

int main(void) {
    known_answer();
    like_a_model();
    inherited();
    return 0;
}
