#include "mark.h"
#include "../os/mem.h"

static uint8_t *marks;
static uint64_t base[BLOCK_SHIFTS], slots[BLOCK_SHIFTS], total;

/* Blocks whose contents are still to be followed. */
static struct block_place *work;
static uint64_t work_count;

static uint64_t room(void) { return wh_round_up(total ? total : 1, OS_PAGE); }

int mark_init(void) {
    total = 0;
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift <= WH_MAX_SLOT_SHIFT; shift++) {
        base[shift] = total;
        slots[shift] = blocks_cut[shift];
        total += slots[shift];
    }
    marks = (uint8_t *)os_map(room());
    work = (struct block_place *)os_map(room() * sizeof *work);
    work_count = 0;
    if (marks && work) return 1;
    mark_deinit();
    return 0;
}

void mark_deinit(void) {
    if (marks) os_unmap((uintptr_t)marks, room());
    if (work) os_unmap((uintptr_t)work, room() * sizeof *work);
    marks = NULL;
    work = NULL;
}

uint8_t *mark_of(struct block_place place) { return &marks[base[place.shift] + place.index]; }

/* The live block that a word points into; a block of size 0 counts as one byte. */
static struct block_place target(uintptr_t word) {
    struct block_place place = block_place(word);
    if (!place.index || place.index >= slots[place.shift]) return (struct block_place){0, 0};
    const struct block_record *record = block_record(place.shift, place.index);
    uint64_t size = block_size(record, place.shift, place.index);
    int hit = record->state == WH_BLOCK_LIVE &&
              word - block_begin(record, place.shift, place.index) < (size ? size : 1);
    if (!hit) place.index = 0;
    return place;
}

static void follow_word(uintptr_t word, uint8_t mark) {
    if (WH_LIKELY(!heap_contains(word))) return;
    struct block_place place = target(word);
    if (!place.index) return;
    uint8_t *marked = mark_of(place);
    if (*marked & (MARK_REACHED | MARK_SYSTEM | mark)) return;
    *marked |= mark;
    work[work_count++] = place;
}

static void follow_words(uintptr_t begin, uintptr_t end, uint8_t mark) {
    const uintptr_t *word = (const uintptr_t *)wh_round_up(begin, sizeof(uintptr_t));
    for (; (uintptr_t)(word + 1) <= end; word++) follow_word(*(const wh_word *)word, mark);
}

#define BATCH 512u
#define READ_ALL (256ull << 20)

/* In very large ranges, pages that are not in memory are left alone: reading
 * them all would build page tables for them. */
static void follow(uintptr_t begin, uintptr_t end, uint8_t mark) {
    unsigned char resident[BATCH];
    if (end - begin <= READ_ALL) {
        follow_words(begin, end, mark);
        return;
    }
    for (uintptr_t at = wh_round_down(begin, OS_PAGE); at < end; at += BATCH * OS_PAGE) {
        uint64_t size =
            end - at < BATCH * OS_PAGE ? wh_round_up(end - at, OS_PAGE) : BATCH * OS_PAGE;
        int known = os_resident(at, size, resident) == 0;
        for (uint64_t page = 0; page * OS_PAGE < size; page++) {
            uintptr_t from = at + page * OS_PAGE, to = from + OS_PAGE;
            if (known && !(resident[page] & 1)) continue;
            follow_words(from < begin ? begin : from, to > end ? end : to, mark);
        }
    }
}

static void follow_work(uint8_t mark) {
    while (work_count) {
        struct block_place place = work[--work_count];
        const struct block_record *record = block_record(place.shift, place.index);
        uintptr_t begin = block_begin(record, place.shift, place.index);
        follow(begin, begin + block_size(record, place.shift, place.index), mark);
    }
}

void mark_range(uintptr_t begin, uintptr_t end, enum mark mark) {
    follow(begin, end, (uint8_t)mark);
    follow_work((uint8_t)mark);
}

void mark_indirect(void) {
    uint64_t cursor = 0;
    struct block_place place;
    while ((place = blocks_next(&cursor, WH_BLOCK_LIVE)).index) {
        if (place.index >= slots[place.shift]) continue;
        uint8_t *marked = mark_of(place);
        if (*marked & (MARK_REACHED | MARK_SYSTEM | MARK_INDIRECT)) continue;
        *marked |= MARK_INDIRECT; /* so that a cycle stops here */
        work[work_count++] = place;
        follow_work(MARK_INDIRECT);
        *marked &= (uint8_t)~MARK_INDIRECT;
    }
}
