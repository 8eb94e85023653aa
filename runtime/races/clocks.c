#include "clocks.h"
#include "../os/mem.h"
#include "../planes/chunks.h"
#include "../process/thread.h"

__thread struct racer *racer_here __attribute__((tls_model("initial-exec")));

/* ---- lanes ---- */

#define NUMBERS (UINT16_MAX + 1u)
/* Threads that a lane had one after the other, of which the numbers are known. */
#define OWNERS 8u

static struct lane {
    uint32_t last; /* epoch of its last thread; 0: it had none */
    uint32_t count;
    struct owner {
        uint32_t first;
        uint16_t number;
    } owners[OWNERS];
} lanes[LANES];

static struct os_lock racers_lock;
static WH_WRITTEN struct racer **racers; /* by the number of the thread */
/* Slots whose threads are gone, the one that is gone longest first. */
static uint8_t left[LANES];
static unsigned left_first, left_count, lanes_used;
static int lanes_noted;

static uint8_t take_lane(uint16_t number, uint32_t *epoch) {
    uint8_t lane = LANE_NONE;
    if (lanes_used < LANE_NONE) {
        lane = (uint8_t)lanes_used++;
    } else {
        /* A thread that goes on in a lane whose epochs are used up finds nothing. */
        while (left_count && lane == LANE_NONE) {
            uint8_t found = left[left_first++ % LANES];
            left_count--;
            if (lanes[found].last < EPOCH_LAST / 2) lane = found;
        }
    }
    if (lane == LANE_NONE) {
        rt_note(&lanes_noted,
                "the program has more threads, or releases locks more often, than "
                "data races can be found for: what later threads access is not judged");
        return lane;
    }
    struct lane *taken = &lanes[lane];
    *epoch = ++taken->last;
    taken->owners[taken->count++ % OWNERS] = (struct owner){*epoch, number};
    return lane;
}

static void leave_lane(struct racer *racer) {
    if (racer->lane == LANE_NONE) return;
    lanes[racer->lane].last = racer->epoch;
    left[(left_first + left_count++) % LANES] = racer->lane;
}

uint16_t racer_at(uint8_t lane, uint32_t epoch) {
    const struct lane *known = &lanes[lane];
    struct owner best = {0, 0};
    for (unsigned i = 0; i < OWNERS && i < known->count; i++) {
        struct owner owner = known->owners[i];
        if (owner.first <= epoch && owner.first >= best.first) best = owner;
    }
    return best.number;
}

static struct racer *make(uint16_t number) {
    if (racers[number]) return racers[number];
    return racers[number] = rt_private(sizeof(struct racer));
}

static void begin(struct racer *racer, uint16_t number) {
    racer->number = number;
    racer->lane = take_lane(number, &racer->epoch);
    if (racer->lane != LANE_NONE) racer->epochs[racer->lane] = racer->epoch;
}

int racers_begin(uint16_t number) {
    os_lock(&racers_lock);
    if (!racers) __atomic_store_n(&racers, rt_private(NUMBERS * sizeof *racers), __ATOMIC_RELAXED);
    struct racer *first = racers && !racer_here ? make(number) : NULL;
    if (first) begin(first, number);
    os_unlock(&racers_lock);
    if (first) racer_here = first;
    return racer_here != NULL;
}

int racers_known(void) { return __atomic_load_n(&racers, __ATOMIC_RELAXED) != NULL; }

struct racer *racer_new(uint16_t number, int is_detached) {
    struct racer *self = racer_here;
    os_lock(&racers_lock);
    struct racer *racer = racers && self ? make(number) : NULL;
    if (racer) {
        racer_advance(self);
        wh_copy(racer->epochs, self->epochs, sizeof racer->epochs);
        if (self->lane != LANE_NONE) racer->epochs[self->lane] = self->epoch - 1;
        racer->is_detached = (uint8_t)is_detached;
        racer->seen = self->seen;
        racer->has_steps = 0;
        racer->fenced.count = racer->wanted.count = 0;
        begin(racer, number);
    }
    os_unlock(&racers_lock);
    return racer;
}

void racer_enter(uint16_t number) {
    os_lock(&racers_lock);
    if (racers) racer_here = racers[number];
    os_unlock(&racers_lock);
}

void racer_ended(void) {
    struct racer *racer = racer_here;
    if (!racer || !racer->is_detached) return;
    os_lock(&racers_lock);
    leave_lane(racer);
    os_unlock(&racers_lock);
}

void racer_joined(uint16_t number) {
    struct racer *self = racer_here;
    os_lock(&racers_lock);
    struct racer *racer = racers ? racers[number] : NULL;
    if (racer && self && racer != self && !racer->is_detached) {
        for (unsigned i = 0; i < LANES; i++)
            if (racer->epochs[i] > self->epochs[i]) self->epochs[i] = racer->epochs[i];
        racer->is_detached = 1;
        leave_lane(racer);
    }
    os_unlock(&racers_lock);
}

void racer_detached(uint16_t number) {
    os_lock(&racers_lock);
    if (racers && racers[number]) racers[number]->is_detached = 1;
    os_unlock(&racers_lock);
}

void racer_advance(struct racer *racer) {
    if (!racer->has_steps || racer->lane == LANE_NONE) return;
    racer->has_steps = 0;
    if (racer->epoch < EPOCH_LAST) racer->epochs[racer->lane] = ++racer->epoch;
}

/* ---- clocks ---- */

static struct os_lock rooms_lock;
#define ROOMS 9u /* of 1 << n lanes */
static WH_WRITTEN uint32_t *rooms[ROOMS];

/* Room for lanes, of a size that is a power of two. */
static uint32_t *take_room(uint32_t count, uint32_t *room) {
    unsigned shift = 2;
    while (1u << shift < count) shift++;
    os_lock(&rooms_lock);
    uint32_t *taken = rooms[shift];
    if (taken) wh_copy(&rooms[shift], taken, sizeof taken);
    os_unlock(&rooms_lock);
    if (!taken) taken = rt_private(sizeof *taken << shift);
    *room = 1u << shift;
    return taken;
}

static void leave_room(uint32_t *epochs, uint32_t room) {
    unsigned shift = 0;
    if (!epochs) return;
    while (1u << shift < room) shift++;
    os_lock(&rooms_lock);
    wh_copy(epochs, &rooms[shift], sizeof epochs);
    rooms[shift] = epochs;
    os_unlock(&rooms_lock);
}

static int make_room(struct clock *clock, uint32_t count) {
    if (count <= clock->room) return 1;
    uint32_t room, *epochs = take_room(count, &room);
    if (!epochs) return 0;
    wh_copy(epochs, clock->epochs, clock->count * sizeof *epochs);
    leave_room(clock->epochs, clock->room);
    clock->epochs = epochs;
    clock->room = room;
    return 1;
}

/* Whether the calling thread may take locks of clocks. It may not in a handler that has interrupted
 * it while it has one: then nothing is taken over, and nothing judged (`is_busy`). */
static int begin_clocks(void) {
    if (!racer_here) return 1;
    if (racer_here->is_busy) return 0;
    racer_here->is_busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return 1;
}

static void end_clocks(void) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (racer_here) racer_here->is_busy = 0;
}

void clock_acquire(struct racer *racer, struct clock *clock) {
    if (!begin_clocks()) return;
    os_lock(&clock->lock);
    for (uint32_t i = 0; i < clock->count; i++)
        if (clock->epochs[i] > racer->epochs[i]) racer->epochs[i] = clock->epochs[i];
    os_unlock(&clock->lock);
    end_clocks();
}

static uint32_t lanes_now(void) {
    uint32_t count = __atomic_load_n(&lanes_used, __ATOMIC_RELAXED);
    return count < LANES ? count : LANES;
}

/* What is before these epochs is before the clock's, too. */
static void raise_clock(struct clock *clock, const uint32_t *epochs, uint32_t count) {
    os_lock(&clock->lock);
    if (make_room(clock, count)) {
        for (uint32_t i = clock->count; i < count; i++) clock->epochs[i] = 0;
        if (clock->count < count) clock->count = count;
        for (uint32_t i = 0; i < count; i++)
            if (epochs[i] > clock->epochs[i]) clock->epochs[i] = epochs[i];
    }
    clock->version++;
    os_unlock(&clock->lock);
}

/* Steps of the present epoch are before the release, so later ones have another epoch. Where there
 * are none, the epoch before is the last one. */
void clock_release(struct racer *racer, struct clock *clock) {
    if (!begin_clocks()) return;
    uint32_t count = lanes_now();
    int own = racer->lane != LANE_NONE;
    uint32_t until = own && !racer->has_steps ? racer->epoch - 1 : racer->epoch;
    if (own) racer->epochs[racer->lane] = until;
    raise_clock(clock, racer->epochs, count);
    if (own) racer->epochs[racer->lane] = racer->epoch;
    racer_advance(racer);
    end_clocks();
}

void clock_join(struct clock *clock, struct clock *other) {
    uint32_t epochs[LANES];
    if (!begin_clocks()) return;
    os_lock(&other->lock);
    uint32_t count = other->count;
    wh_copy(epochs, other->epochs, count * sizeof *epochs);
    os_unlock(&other->lock);
    raise_clock(clock, epochs, count);
    end_clocks();
}

/* ---- where clocks are ---- */

static uint64_t used;
static const struct chunk_plane plane = {
    .table = WH_RACES_MEETINGS_TABLE,
    .chunks = WH_RACES_MEETINGS_BASE,
    .size = WH_RACES_MEETINGS_SIZE,
    .unit_shift = WH_GRANULE_SHIFT,
    .chunk_shift = WH_RACES_CHUNK_SHIFT,
    .cell_shift = 2,
    .used = &used,
};

#define CLOCKS_SHIFT 12u
#define CLOCKS_MOST (1u << 10)
static struct os_lock clocks_lock;
static WH_WRITTEN struct clock *pages[CLOCKS_MOST];
static uint32_t clocks_used = 1, clocks_free;
static int ready;

long clocks_init(uintptr_t *begin, size_t *size) {
    long result = chunks_reserve(&plane, begin, size);
    ready = result == 0;
    return result;
}

static struct clock *clock_of(uint32_t index) {
    return &pages[index >> CLOCKS_SHIFT][index & ((1u << CLOCKS_SHIFT) - 1)];
}

static uint32_t take_clock(void) {
    uint32_t index = clocks_free;
    if (index) {
        clocks_free = clock_of(index)->next;
        clock_of(index)->count = 0;
        return index;
    }
    if (clocks_used >> CLOCKS_SHIFT >= CLOCKS_MOST) return 0;
    struct clock **page = &pages[clocks_used >> CLOCKS_SHIFT];
    if (!*page) *page = rt_private(sizeof **page << CLOCKS_SHIFT);
    return *page ? clocks_used++ : 0;
}

struct clock *clock_at(uintptr_t address, int make_one) {
    uint32_t *cell = ready ? chunk_cell(&plane, address, make_one) : NULL;
    if (!cell) return NULL;
    uint32_t index = __atomic_load_n(cell, __ATOMIC_ACQUIRE);
    if (index || !make_one) return index ? clock_of(index) : NULL;
    if (!begin_clocks()) return NULL;
    os_lock(&clocks_lock);
    index = *cell;
    if (!index) __atomic_store_n(cell, index = take_clock(), __ATOMIC_RELEASE);
    os_unlock(&clocks_lock);
    end_clocks();
    return index ? clock_of(index) : NULL;
}

void clocks_clear(uintptr_t begin, uint64_t size) {
    uintptr_t end = begin + size;
    for (uintptr_t at = wh_round_down(begin, WH_GRANULE); at < end;) {
        uintptr_t next =
            wh_round_down(at, 1ul << WH_RACES_CHUNK_SHIFT) + (1ul << WH_RACES_CHUNK_SHIFT);
        uintptr_t last = next < end ? next : end;
        uint32_t *cell = ready ? chunk_cell(&plane, at, 0) : NULL;
        for (; cell && at < last; at += WH_GRANULE, cell++) {
            if (!*cell) continue;
            os_lock(&clocks_lock);
            uint32_t index = *cell;
            *cell = 0;
            if (index) {
                clock_of(index)->next = clocks_free;
                clocks_free = index;
            }
            os_unlock(&clocks_lock);
        }
        at = next;
    }
}

/* ---- fork ---- */

/* Threads that are not here may have held locks, and do nothing any more: all that they did comes
 * before what the child does. */
void racers_forked(void) {
    racers_lock = rooms_lock = clocks_lock = (struct os_lock){0};
    for (uint32_t i = 1; i < clocks_used; i++) clock_of(i)->lock = (struct os_lock){0};
    for (uint32_t i = 0; racer_here && i < lanes_now(); i++)
        if (i != racer_here->lane) racer_here->epochs[i] = EPOCH_LAST;
}
