#include "options.h"
#include "../rt/event.h"
#include "dispatch.h"
#include "pager.h"
#include "report.h"
#include "trap.h"

int guard_options_used;

int options_protect(struct block place) {
    struct guard_span span = guard_span(place);
    uint32_t flags = guard_extra(place)->flags;
    enum os_access access = flags & GUARD_CLOSED      ? OS_NONE
                            : flags & GUARD_READ_ONLY ? OS_READ
                                                      : trap_access();
    if (span.begin == span.end || slot_claimed(place.region, place.slot)) return 1;
    if (dispatch_leaves_open()) access = OS_READ_WRITE;
    return os_protect(span.begin, span.end - span.begin, access) >= 0;
}

/* ---- free and realloc ---- */

static int has_flag(struct block place, uint32_t flag) {
    return (guard_is_paged(place) || guard_options_used) && (guard_extra(place)->flags & flag);
}

static void open_block(struct block place) {
    struct guard_span span = guard_span(place);
    if (!guard_is_paged(place) || span.begin == span.end) return;
    if (slot_claimed(place.region, place.slot)) return;
    if (trap_is_on())
        trap_open(place);
    else if (has_flag(place, GUARD_CLOSED | GUARD_READ_ONLY))
        os_protect(span.begin, span.end - span.begin, OS_READ_WRITE);
}

int guard_may_free(struct block place, const struct frame *frame) {
    const struct block_record *record = block_record(place.region, place.slot);
    uintptr_t begin = record_begin(record, place.region, place.slot);
    if (WH_UNLIKELY(has_flag(place, GUARD_PERMANENT))) {
        struct context context = {0};
        context.event.point = WH_POINT_FREE;
        context.event.r = context.event.root = begin;
        context.frame = frame;
        if (report_fixed(&context, WH_RULE_PERMANENT_FREE, place)) return 0;
    }
    guard_touched("freed", begin);
    open_block(place);
    if (!pager_is_packed(place))
        report_damage(place,
                      frame); /* a packed block was intact, and nothing could write to it since */
    return 1;
}

void guard_moves(struct block place, uintptr_t to) {
    const struct block_record *record = block_record(place.region, place.slot);
    guard_touched("resized", record_begin(record, place.region, place.slot));
    open_block(place);
    if (guard_is_paged(place)) guard_extra(place)->flags |= GUARD_MOVED;
    struct block target = heap_block(to);
    if (!target.slot) return;
    open_block(target);
    trap_filled(target);
}

void guard_moved(uintptr_t to) {
    struct block target = heap_block(to);
    if (trap_is_on() && target.slot && guard_is_paged(target)) trap_close(target);
}

/* ---- pages that the program maps over ---- */

void options_claim(uintptr_t begin, uintptr_t end) {
    struct block place = heap_block(begin);
    for (; guard_is_paged(place) && place.slot && place.slot < blocks_cut[place.region] &&
           slot_begin(place.region, place.slot) < end;
         place.slot++) {
        struct guard_span span = guard_span(place);
        if (!block_is_live(place) || span.begin == span.end) continue;
        if (slot_claimed(place.region, place.slot)) continue;
        pager_pin(place);
        os_protect(span.begin, span.end - span.begin, OS_READ_WRITE);
    }
}

/* ---- leak searches ---- */

static void protect_closed(int open) {
    uint64_t cursor = 0;
    struct block place;
    if (!guard_options_used && !trap_is_on()) return;
    while ((place = block_next(&cursor, WH_BLOCK_LIVE)).slot) {
        struct guard_span span = guard_span(place);
        if (!guard_is_paged(place) || slot_claimed(place.region, place.slot)) continue;
        if (!trap_is_on() && !has_flag(place, GUARD_CLOSED)) continue;
        if (!open) trap_filled(place); /* writes to open blocks were not observed */
        if (open && span.begin < span.end)
            os_protect(span.begin, span.end - span.begin, OS_READ_WRITE);
        else if (!open && !__atomic_load_n(&guard_extra(place)->open, __ATOMIC_ACQUIRE))
            options_protect(place);
    }
}

void options_open_all(void) {
    pager_freeze();
    protect_closed(1);
}

void options_close_all(void) {
    protect_closed(0);
    pager_thaw();
}

int options_may_be_closed(void) { return trap_is_on() || pager_packs(); }

static struct {
    uint64_t token;
    int frozen;
} search;

void options_await_search(void) { search.token = pager_lock(); }

void options_open_for_search(int all_stand) {
    pager_unlock(search.token);
    search.frozen = trap_is_on() || !all_stand;
    if (search.frozen) pager_freeze();
    protect_closed(1);
}

void options_close_after_search(void) {
    protect_closed(0);
    if (search.frozen) pager_thaw();
}

/* ---- the breakpoint ---- */

WH_EXPORT uintptr_t whence_alloc_break_if_touched;

WH_EXPORT void whence_alloc_break(const char *what, const void *block);

/* A place for breakpoints. */
__attribute__((noinline)) void whence_alloc_break(const char *what, const void *block) {
    TEXT(line, 100);
    text_put(&line, "the block at ");
    text_hex(&line, (uintptr_t)block);
    text_put(&line, " is ");
    text_put(&line, what);
    text_complain(&line);
}
