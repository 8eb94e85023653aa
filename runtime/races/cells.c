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
    return racer->epochs[(uint8_t)(earlier >> CELL_LANE_SHIFT)] >= epoch;
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

/* `word` has the number of the stack. */
static inline void record(const struct racer *racer, uint64_t *cells, uint64_t word,
                          struct cell_access *access) {
    uint64_t *place = NULL, *empty = NULL, conflict = 0, more = 0;
    for (unsigned i = 0; i < CELLS; i++) {
        uint64_t earlier = __atomic_load_n(&cells[i], __ATOMIC_RELAXED);
        if (!((earlier ^ word) & ~CELL_BYTES_MASK)) {
            /* The same step of the thread comes to the bytes one by one. */
            more = earlier & CELL_BYTES_MASK;
            place = &cells[i];
        } else if (!(earlier & word & CELL_BYTES_MASK)) {
            if (!earlier && !empty) empty = &cells[i];
        } else if (!is_before(racer, earlier)) {
            if (conflicts(earlier, word)) conflict = earlier;
        } else if (!more && cell_covers(word, earlier)) {
            place = &cells[i];
        }
    }
    if (WH_UNLIKELY(conflict)) found_conflict(access, conflict);
    if (racer->lane == LANE_NONE) return;
    int is_new = !place;
    if (!place) place = empty ? empty : &cells[(racer->epoch + racer->lane) % CELLS];
    __atomic_store_n(place, word | more, __ATOMIC_RELAXED);
    if (is_new && empty && !conflict) look_again(racer, cells, word, access);
}

void cells_access(struct racer *racer, uintptr_t at, uint64_t size, uint64_t how,
                  struct cell_access *access) {
    uint64_t *cells = NULL, base = cell_word(racer, 0, how), stack = 0;
    int has_stack = 0;
    uintptr_t end = at + size;
    for (uintptr_t next; at < end; at = next, cells += cells ? CELLS : 0) {
        uintptr_t granule = wh_round_down(at, WH_GRANULE);
        next = granule + WH_GRANULE;
        unsigned bytes = 0xffu << (at - granule) & 0xff;
        if (next > end) bytes &= 0xffu >> (next - end);
        if (!cells || !(granule & ((1ul << WH_RACES_CHUNK_SHIFT) - 1)))
            cells = ready ? chunk_cell(&plane, granule, 1) : NULL;
        uint64_t word = base | (uint64_t)bytes << CELL_BYTES_SHIFT;
        if (!cells || cells_have(cells, word)) continue;
        if (!has_stack) {
            stack = depot_number(access->stack(access));
            if (stack > STACK_MASK) stack = 0;
            has_stack = 1;
        }
        racer->has_steps = 1;
        record(racer, cells, word | stack, access);
    }
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
