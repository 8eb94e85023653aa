#include "cells.h"
#include "../os/mem.h"
#include "../planes/chunks.h"
#include "../stacks/depot.h"

/* A granule has CELLS words, each an access: from the lowest bit on the stack's number, the epoch,
 * the lane, the bytes, whether it writes, whether it is atomic. 0: none. Threads store them without
 * a lock: what one of them overwrites at the same moment may be lost, and a race with it. */
#define STACK_MASK ((1ull << CELL_STACK_BITS) - 1)
_Static_assert(CELL_BYTES_SHIFT + 8 == 62 && LANES == 256, "the word has all of it");

static uint64_t used;
static const struct chunk_plane plane = {
    .table = WH_RACES_TABLE_BASE,
    .chunks = WH_RACES_CHUNKS_BASE,
    .size = WH_RACES_CHUNKS_SIZE,
    .unit_shift = WH_GRANULE_SHIFT,
    .chunk_shift = WH_RACES_CHUNK_SHIFT,
    .cell_shift = WH_RACES_CELLS_SHIFT + 3,
    .used = &used,
};
static int ready;

long cells_init(uintptr_t *begin, size_t *size) {
    long result = chunks_reserve(&plane, begin, size);
    ready = result == 0;
    return result;
}

static struct step step_of(uint64_t word) {
    return (struct step){
        .stack = depot_handle((uint32_t)(word & STACK_MASK)),
        .epoch = (uint32_t)(word >> CELL_STACK_BITS) & EPOCH_LAST,
        .lane = (uint8_t)(word >> CELL_LANE_SHIFT),
        .bytes = (uint8_t)(word >> CELL_BYTES_SHIFT),
        .writes = !!(word & CELL_WRITES),
        .is_atomic = !!(word & CELL_ATOMIC),
    };
}

static inline int conflicts(uint64_t earlier, uint64_t now) {
    return ((earlier | now) & CELL_WRITES) && !(earlier & now & CELL_ATOMIC);
}

static WH_COLD void found_conflict(struct cell_access *access, uint64_t word) {
    struct step earlier = step_of(word);
    access->found(access, &earlier);
}

/* Whether an earlier access is by this thread, or ordered before what it does now. */
static inline int is_before(const struct racer *racer, uint64_t earlier) {
    uint64_t epoch = (earlier >> CELL_STACK_BITS) & EPOCH_LAST;
    uint8_t lane = (uint8_t)(earlier >> CELL_LANE_SHIFT);
    return lane == racer->lane || racer->epochs[lane] >= epoch;
}

/* Of two threads that access memory for the first time at one moment, none may have seen the other
 * one's word; one does when both are stored. */
static void look_again(const struct racer *racer, const uint64_t *cells, uint64_t word,
                       struct cell_access *access) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (unsigned i = 0; i < CELLS; i++) {
        uint64_t other = __atomic_load_n(&cells[i], __ATOMIC_RELAXED);
        if (!(other & word & CELL_BYTES_MASK) || is_before(racer, other)) continue;
        if (!conflicts(other, word)) continue;
        found_conflict(access, other);
        return;
    }
}

void cells_access(struct racer *racer, uintptr_t granule, uint64_t word,
                  struct cell_access *access) {
    uint64_t *cells = ready ? chunk_cell(&plane, granule, 1) : NULL;
    uint64_t *place = NULL, *empty = NULL, conflict = 0;
    if (!cells) return;
    for (unsigned i = 0; i < CELLS; i++) {
        uint64_t earlier = __atomic_load_n(&cells[i], __ATOMIC_RELAXED);
        if (!(earlier & word & CELL_BYTES_MASK)) {
            if (!earlier && !empty) empty = &cells[i];
            continue;
        }
        if (!is_before(racer, earlier)) {
            if (conflicts(earlier, word)) conflict = earlier;
        } else if (cell_covers(word, earlier)) {
            place = &cells[i];
        }
    }
    if (WH_UNLIKELY(conflict)) found_conflict(access, conflict);
    if (racer->lane == LANE_NONE) return;
    uint64_t stack = depot_number(access->stack(access));
    if (stack > STACK_MASK) stack = 0;
    racer->has_steps = 1;
    if (!place) place = empty ? empty : &cells[(racer->epoch + racer->lane) % CELLS];
    __atomic_store_n(place, word | stack, __ATOMIC_RELAXED);
    if (place == empty && !conflict) look_again(racer, cells, word, access);
}

void cells_clear(uintptr_t begin, uint64_t size) {
    uintptr_t end = wh_round_up(begin + size, WH_GRANULE);
    for (uintptr_t at = wh_round_down(begin, WH_GRANULE); ready && at < end;) {
        uintptr_t next =
            wh_round_down(at, 1ul << WH_RACES_CHUNK_SHIFT) + (1ul << WH_RACES_CHUNK_SHIFT);
        uintptr_t last = next < end ? next : end;
        uint64_t *cells = chunk_cell(&plane, at, 0);
        if (cells)
            wh_fill(cells, 0, ((last - at) >> WH_GRANULE_SHIFT) << (WH_RACES_CELLS_SHIFT + 3));
        at = next;
    }
}
