/* The functions of whence/alloc.h. */
#include "../../guard/guard.h"
#include "../../guard/lend.h"
#include "../../guard/options.h"
#include "../../process/thread.h"
#include "report.h"

/* In the order of enum whence_alloc_option. */
enum { READ_WRITE, READ_ONLY, NO_ACCESS, PERMANENT, TEMPORARY, OPTIONS };

static const struct {
    uint32_t clears, sets;
} changes[OPTIONS] = {
    [READ_WRITE] = {GUARD_READ_ONLY | GUARD_CLOSED, 0},
    [READ_ONLY] = {GUARD_CLOSED, GUARD_READ_ONLY},
    [NO_ACCESS] = {GUARD_READ_ONLY, GUARD_CLOSED},
    [PERMANENT] = {0, GUARD_PERMANENT},
    [TEMPORARY] = {GUARD_PERMANENT, 0},
};

/* The live block that begins at an address; slot 0: none. */
static struct block live_block(const void *pointer) {
    struct block none = {0, 0}, place = heap_block((uintptr_t)pointer);
    return heap_begins_live(place, (uintptr_t)pointer) ? place : none;
}

/* The second record of a plain slot is valid only after guard_options_used is set. */
static uint32_t *flags_of(struct block place) { return &guard_extra(place)->flags; }

WH_EXPORT int __whence_alloc_set(void *block, int option);
WH_EXPORT int __whence_alloc_get(const void *block, int option);
WH_EXPORT void __whence_alloc_dump(int all);
WH_EXPORT void __whence_alloc_break_at(const void *block);

int __whence_alloc_set(void *block, int option) {
    thread_here();
    struct block place = live_block(block);
    if (!place.slot || option < 0 || option >= OPTIONS) return 0;
    int of_pages = option < PERMANENT;
    if (of_pages && !guard_is_paged(place)) return 0;
    guard_touched("given an option", (uintptr_t)block);
    guard_options_used = 1;
    uint32_t before = *flags_of(place);
    *flags_of(place) = (before & ~changes[option].clears) | changes[option].sets;
    if (!of_pages || options_protect(place)) return 1;
    *flags_of(place) = before;
    return 0;
}

int __whence_alloc_get(const void *block, int option) {
    thread_here();
    struct block place = live_block(block);
    if (!place.slot || option < 0 || option >= OPTIONS) return 0;
    uint32_t flags = guard_is_paged(place) || guard_options_used ? *flags_of(place) : 0;
    return !(flags & changes[option].clears) &&
           (flags & changes[option].sets) == changes[option].sets;
}

void __whence_alloc_break_at(const void *block) {
    whence_alloc_break_if_touched = (uintptr_t)block;
}

/* ---- listing ---- */

static void put_block(struct block place, uint32_t flags) {
    struct whence_block block;
    uint64_t stack[WH_ALLOC_FRAMES];
    const struct block_record *record = block_record(place.region, place.slot);
    block_read(place, &block);
    TEXT(line, 200);
    text_hex(&line, block.begin);
    text_put(&line, ": ");
    text_decimal(&line, block.size);
    text_put(&line, block.size == 1 ? " byte" : " bytes");
    text_put(&line, flags & GUARD_PERMANENT ? ", permanent" : ", temporary");
    if (flags & GUARD_READ_ONLY) text_put(&line, ", read-only");
    if (flags & GUARD_CLOSED) text_put(&line, ", no access");
    text_complain(&line);
    report_frames(stack, depot_get(record->alloc_stack, stack, WH_ALLOC_FRAMES));
}

void __whence_alloc_dump(int all) {
    uint64_t cursor = 0, count = 0, bytes = 0;
    struct block place;
    thread_here();
    while ((place = block_next(&cursor, WH_BLOCK_LIVE)).slot) {
        uint32_t flags = guard_is_paged(place) || guard_options_used ? *flags_of(place) : 0;
        if (!all && (flags & GUARD_PERMANENT)) continue;
        put_block(place, flags);
        count++;
        bytes += record_size(block_record(place.region, place.slot), place.region, place.slot);
    }
    TEXT(line, 200);
    text_decimal(&line, count);
    text_put(&line, count == 1 ? " block of " : " blocks of ");
    text_decimal(&line, bytes);
    text_put(&line, all ? " bytes, permanent ones included" : " bytes, permanent ones left out");
    text_complain(&line);
}
