#include "pasts.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/thread.h"

__thread struct past *past_here;

/* ---- lanes ---- */

#define NUMBERS (UINT16_MAX + 1u)

static struct os_lock threads_lock;
static WH_WRITTEN struct past **known; /* by the number of the thread */
static struct past *holders[PASTS];    /* of lanes, now */
static uint32_t lasts[PASTS];          /* the last epoch of those who had it */
static uint8_t free_lanes[PASTS];
static uint32_t free_count, used;
static WH_WRITTEN struct past *left;
static int lanes_noted;

static struct past *take(uint16_t number) {
    struct past *past = left;
    uint32_t lane;
    if (free_count)
        lane = free_lanes[--free_count];
    else if (used < PASTS)
        lane = used;
    else {
        rt_note(&lanes_noted, "the program has more than 256 threads at a time: the order in which "
                              "the others take locks is not judged");
        return NULL;
    }
    if (past)
        wh_copy(&left, past->epochs, sizeof left);
    else
        past = rt_private(sizeof *past);
    if (!past) {
        free_lanes[free_count++] = (uint8_t)lane;
        return NULL;
    }
    if (lane == used) __atomic_store_n(&used, lane + 1, __ATOMIC_RELEASE);
    wh_fill(past, 0, sizeof *past);
    past->number = number;
    past->lane = (uint8_t)lane;
    holders[lane] = past;
    known[number] = past;
    return past;
}

static void leave(struct past *past) {
    uint8_t lane = past->lane;
    lasts[lane] = past_epoch(past);
    holders[lane] = NULL;
    free_lanes[free_count++] = lane;
    if (known[past->number] == past) known[past->number] = NULL;
    wh_copy(past->epochs, &left, sizeof left);
    left = past;
}

uint32_t pasts_count(void) { return __atomic_load_n(&used, __ATOMIC_ACQUIRE); }

int pasts_all_know(uint8_t lane, uint32_t epoch) {
    int know = 1;
    os_lock(&threads_lock);
    for (uint32_t i = 0; i < used; i++)
        if (i != lane && holders[i] && holders[i]->epochs[lane] < epoch) know = 0;
    os_unlock(&threads_lock);
    return know;
}

static void raise_epochs(uint32_t *epochs, const uint32_t *others, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (others[i] > epochs[i]) epochs[i] = others[i];
}

/* From now on others may know of what the thread has done. */
static void publish(struct past *past) {
    if (!past->has_steps) return;
    past->has_steps = 0;
    past->epochs[past->lane]++;
    past->changes++;
}

/* ---- threads ---- */

static void creates(struct new_thread *thread) {
    struct thread *self = thread_here();
    os_lock(&threads_lock);
    if (!known) known = rt_private(NUMBERS * sizeof *known);
    /* The first thread that makes one: all that it did before comes before all others. */
    if (known && !past_here && !used && self->tid) past_here = take(self->number);
    struct past *past =
        known && past_here && thread->number < UINT16_MAX ? take(thread->number) : NULL;
    if (past) {
        publish(past_here);
        wh_copy(past->epochs, past_here->epochs, sizeof past->epochs);
        if (past->epochs[past->lane] < lasts[past->lane])
            past->epochs[past->lane] = lasts[past->lane];
        past->is_detached = thread->detached;
    }
    os_unlock(&threads_lock);
}

static struct past *of_number(uint32_t number) {
    return known && number < NUMBERS ? known[number] : NULL;
}

static void created(uint32_t number, uint64_t handle) {
    if (handle) return;
    os_lock(&threads_lock);
    struct past *past = of_number(number);
    if (past) leave(past);
    os_unlock(&threads_lock);
}

static void begins(const struct new_thread *thread) {
    os_lock(&threads_lock);
    past_here = of_number(thread->number);
    os_unlock(&threads_lock);
}

/* Destructors of thread-specific data may still lock: what they do then is not judged. */
static void ends(void) {
    struct past *past = past_here;
    if (!past || !past->number) return;
    os_lock(&threads_lock);
    past_here = NULL;
    publish(past);
    past->has_ended = 1;
    if (past->is_detached) leave(past);
    os_unlock(&threads_lock);
}

static void parted(const struct thread_parting *parting, int error) {
    if (error || parting->number > UINT16_MAX) return;
    os_lock(&threads_lock);
    struct past *past = of_number(parting->number), *self = past_here;
    if (past && past != self && parting->detaches) {
        past->is_detached = 1;
        if (past->has_ended) leave(past);
    } else if (past && past != self && !past->is_detached) {
        if (self) {
            raise_epochs(self->epochs, past->epochs, used);
            self->changes++;
        }
        leave(past);
    }
    os_unlock(&threads_lock);
}

/* ---- objects ---- */

#define PLACES 1024u

static struct place {
    struct os_lock lock;
    uint32_t tells; /* a mutex at it hands over */
    uint32_t epochs[PASTS];
} *places[PLACES];

static struct place *place_of(uintptr_t object, int make) {
    struct place **at = &places[(object >> 3) * 0x9e3779b97f4a7c15ull >> 54];
    struct place *place = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (place || !make) return place;
    os_lock(&threads_lock);
    if (!*at) __atomic_store_n(at, rt_private(sizeof **at), __ATOMIC_RELEASE);
    os_unlock(&threads_lock);
    return *at;
}

static void give(struct place *place) {
    struct past *past = past_here;
    publish(past);
    os_lock(&place->lock);
    raise_epochs(place->epochs, past->epochs, pasts_count());
    os_unlock(&place->lock);
}

static void get(struct place *place) {
    struct past *past = past_here;
    os_lock(&place->lock);
    raise_epochs(past->epochs, place->epochs, pasts_count());
    os_unlock(&place->lock);
    past->changes++;
}

void pasts_release(uintptr_t object) {
    struct place *place = past_here ? place_of(object, 1) : NULL;
    if (place) give(place);
}

void pasts_acquire(uintptr_t object) {
    struct place *place = past_here ? place_of(object, 0) : NULL;
    if (place) get(place);
}

void pasts_tells(uintptr_t mutex) {
    struct place *place = past_here ? place_of(mutex, 1) : NULL;
    if (place) __atomic_store_n(&place->tells, 1, __ATOMIC_RELAXED);
}

void pasts_unlock(uintptr_t lock) {
    struct place *place = past_here ? place_of(lock, 0) : NULL;
    if (place && __atomic_load_n(&place->tells, __ATOMIC_RELAXED)) give(place);
}

void pasts_lock(uintptr_t lock) {
    struct place *place = past_here ? place_of(lock, 0) : NULL;
    if (place && __atomic_load_n(&place->tells, __ATOMIC_RELAXED)) get(place);
}

/* A child has one thread, and begins anew. */
static void forked(void) {
    threads_lock = (struct os_lock){0};
    for (uint32_t i = 0; i < PLACES; i++)
        if (places[i]) places[i]->lock = (struct os_lock){0};
    struct past *self = past_here;
    for (uint32_t i = 0; i < used; i++)
        if (holders[i] && holders[i] != self) leave(holders[i]);
    /* What the others did, in whatever lane, was before. */
    for (uint32_t i = 0; self && i < used; i++)
        if (i != self->lane && lasts[i] > self->epochs[i]) self->epochs[i] = lasts[i];
}

/* ---- snapshots ---- */

static __thread struct snapshot *taken; /* of the thread's past */
static __thread uint32_t taken_changes;

#define STEP 8u /* sizes of snapshots are multiples */
static WH_WRITTEN struct snapshot *spare[PASTS / STEP + 1];

void past_drop(struct snapshot *snapshot) {
    if (!snapshot || --snapshot->uses) return;
    struct snapshot **list = &spare[(snapshot->count + STEP - 1) / STEP];
    wh_copy(snapshot->epochs, list, sizeof *list);
    *list = snapshot;
}

static struct snapshot *new_snapshot(uint32_t count) {
    uint32_t steps = (count + STEP - 1) / STEP;
    struct snapshot **list = &spare[steps], *snapshot = *list;
    if (snapshot)
        wh_copy(list, snapshot->epochs, sizeof *list);
    else
        snapshot = rt_private(sizeof *snapshot + steps * STEP * sizeof(uint32_t));
    if (snapshot) snapshot->count = count;
    return snapshot;
}

struct snapshot *past_snapshot(void) {
    const struct past *past = past_here;
    uint32_t count = pasts_count();
    if (!taken || taken_changes != past->changes || taken->count != count) {
        past_drop(taken);
        taken = new_snapshot(count);
        if (!taken) return NULL;
        taken->uses = 1;
        taken_changes = past->changes;
        wh_copy(taken->epochs, past->epochs, count * sizeof(uint32_t));
    }
    taken->uses++;
    return taken;
}

void past_forget(void) {
    past_drop(taken);
    taken = NULL;
}

const struct observer pasts_observer = {
    .points = 1ull << WH_POINT_LOCK_ORDER,
    .creates = creates,
    .created = created,
    .begins = begins,
    .ends = ends,
    .parted = parted,
    .forked = forked,
};
