#include "observer.h"
#include "dispatch.h"
#include "guard.h"
#include "options.h"

/* ---- memory ---- */

static void made(const struct made_block *block) {
    guard_touched("allocated", block->begin);
    if (WH_UNLIKELY(!block->request->size))
        guard_empty(block->begin, block->request->family, block->frame);
}

static void moves(const struct block_move *move) { guard_moves(move->from, move->target); }

static void moved(const struct block_move *move) { guard_moved(move->target); }

static void renews(uintptr_t begin, uint64_t size) {
    struct heap_range range = heap_part(begin, size);
    if (range.begin < range.end) options_claim(range.begin, range.end);
}

/* ---- threads ---- */

static void creates(struct new_thread *thread) {
    (void)thread;
    dispatch_expect_thread(1);
}

static void created(uint32_t number, uint64_t handle) {
    (void)number;
    (void)handle;
    dispatch_expect_thread(0);
    dispatch_resume();
}

static void begins(const struct new_thread *thread) {
    (void)thread;
    dispatch_arm();
}

const struct observer guard_observer = {
    .always = 1,
    .made = made,
    .moves = moves,
    .moved = moved,
    .renews = renews,
    .creates = creates,
    .created = created,
    .begins = begins,
    .forked = dispatch_arm,
};
