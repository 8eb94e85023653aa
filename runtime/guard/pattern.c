#include "pattern.h"
#include "../os/mem.h"

#define BESIDE 0xa7u
#define FREED 0xb9u

/* The pattern in a plain slot: this many bytes after the block, and at the end of the slot. */
#define PLAIN_BEHIND 112u
#define PLAIN_END 16u

struct range {
    uintptr_t begin, end;
};

#define RANGES 3

/* Up to three ranges, some of which may be empty. In a plain slot, the end of the slot before it
 * counts as beside the block, too. */
static void beside(struct block place, struct range ranges[RANGES]) {
    const struct block_record *record = block_record(place.region, place.slot);
    uintptr_t begin = record_begin(record, place.region, place.slot);
    uintptr_t end = begin + record_size(record, place.region, place.slot);
    struct guard_span span = guard_span(place);
    if (guard_is_paged(place)) {
        ranges[0] = (struct range){span.begin, span.begin < span.end ? begin : span.begin};
        ranges[1] = ranges[2] = (struct range){end, span.end};
        return;
    }
    uintptr_t slot_end = slot_begin(place.region, place.slot) + (1ull << place.region);
    uintptr_t middle =
        slot_end - PLAIN_END > end + PLAIN_BEHIND ? end + PLAIN_BEHIND : slot_end - PLAIN_END;
    ranges[0] = (struct range){end, middle > end ? middle : end};
    ranges[1] = (struct range){slot_end - PLAIN_END, slot_end};
    ranges[2] = (struct range){begin - PLAIN_END, begin};
}

void pattern_lay(struct block place) {
    struct range ranges[RANGES];
    beside(place, ranges);
    for (int i = 0; i < RANGES; i++)
        wh_fill((void *)ranges[i].begin, BESIDE, ranges[i].end - ranges[i].begin);
}

void pattern_lay_page(uintptr_t page) { wh_fill((void *)page, BESIDE, OS_PAGE); }

#define EVERY_BYTE 0x0101010101010101ull

/* The first byte that differs; `end` if none does. */
static uintptr_t first_other(uintptr_t at, uintptr_t end, uint8_t byte) {
    for (; at < end && at % 8; at++)
        if (*(const uint8_t *)at != byte) return at;
    while (at + 8 <= end && *(const wh_word *)at == byte * EVERY_BYTE) at += 8;
    while (at < end && *(const uint8_t *)at == byte) at++;
    return at;
}

static struct pattern_damage look(uintptr_t begin, uintptr_t end, uint8_t byte) {
    struct pattern_damage damage = {first_other(begin, end, byte), 0};
    uintptr_t at = damage.begin;
    while (at < end && *(const uint8_t *)at != byte) at++;
    damage.size = at - damage.begin;
    return damage;
}

struct pattern_damage pattern_damage(struct block place) {
    struct range ranges[RANGES];
    struct pattern_damage damage = {0, 0};
    if (slot_claimed(place.region, place.slot)) return damage; /* no pattern is left */
    beside(place, ranges);
    for (int i = 0; i < RANGES && !damage.size; i++)
        damage = look(ranges[i].begin, ranges[i].end, BESIDE);
    return damage;
}

static uint64_t freed_size(struct block place) {
    uint64_t size = record_size(block_record(place.region, place.slot), place.region, place.slot);
    return size < PATTERN_FREED_MOST ? size : PATTERN_FREED_MOST;
}

void pattern_lay_freed(struct block place) {
    wh_fill((void *)slot_begin(place.region, place.slot), FREED, freed_size(place));
}

struct pattern_damage pattern_damage_freed(struct block place) {
    uintptr_t begin = slot_begin(place.region, place.slot);
    return look(begin, begin + freed_size(place), FREED);
}
