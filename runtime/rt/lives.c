#include "lives.h"
#include "event.h"
#include "../events/events.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "meetings.h"

#include <pthread.h>

enum { BEGUN = 1, ENDED = 2, JOINED = 4, DETACHED = 8, AWAITED = 16 };

struct life {
    uint64_t handle; /* as pthread_self has it; 0: not known yet */
    struct presence *presence;
    uint64_t created_time, parted_time;
    uint32_t created_stack, parted_stack, tid;
    uint16_t creator, parter;
    uint8_t state;
};

/* Threads with higher numbers have one in common, and are not followed. */
#define LIVES UINT16_MAX
#define HANDLES (1u << 17)

static struct os_lock lives_lock;
static WH_WRITTEN struct life *lives;
static WH_WRITTEN uint16_t *numbers; /* by handle: a hash table of numbers + 1 */
static WH_WRITTEN struct presence *left;
static WH_WRITTEN uint32_t most; /* lives below this number have been used */

static __thread struct presence *here;

/* ---- tables ---- */

static int have_tables(void) {
    if (lives) return 1;
    struct life *first = rt_private(LIVES * sizeof *lives);
    numbers = rt_private(HANDLES * sizeof *numbers);
    if (!first || !numbers) return 0;
    __atomic_store_n(&lives, first, __ATOMIC_RELEASE);
    return 1;
}

static struct life *life_of(uint32_t number) {
    struct life *all = __atomic_load_n(&lives, __ATOMIC_ACQUIRE);
    return all && number < LIVES ? &all[number] : NULL;
}

static uint16_t *place_of(uint64_t handle) {
    unsigned at = (unsigned)((handle >> 6) * 0x9e3779b97f4a7c15ull >> 40);
    for (;; at++) {
        uint16_t *place = &numbers[at % HANDLES];
        if (!*place || lives[*place - 1].handle == handle) return place;
    }
}

/* A handle that an ended thread had may be another thread's. */
static void enter(uint32_t number, uint64_t handle) {
    struct life *life = &lives[number];
    if (life->handle) return;
    uint16_t *place = place_of(handle);
    life->handle = handle;
    *place = (uint16_t)(number + 1);
}

static struct life *find(uint64_t handle, uint32_t *number) {
    if (!lives) return NULL;
    uint16_t place = *place_of(handle);
    if (!place) return NULL;
    *number = place - 1u;
    return &lives[*number];
}

/* ---- begin and end ---- */

static void creates(struct new_thread *thread) {
    struct thread *self = thread_here();
    os_lock(&lives_lock);
    struct life *life = have_tables() ? life_of(thread->number) : NULL;
    if (life) {
        *life = (struct life){.created_time = blocks_clock, .creator = self->number};
        life->state = thread->detached ? DETACHED : 0;
        if (thread->number >= most) most = thread->number + 1;
    }
    os_unlock(&lives_lock);
    if (life) life->created_stack = port_stack(self, thread->frame);
}

static void created(uint32_t number, uint64_t handle) {
    os_lock(&lives_lock);
    if (handle && life_of(number)) enter(number, handle);
    os_unlock(&lives_lock);
}

static void begins(const struct new_thread *thread) {
    os_lock(&lives_lock);
    struct life *life = life_of(thread->number);
    if (life) {
        enter(thread->number, (uint64_t)pthread_self());
        life->tid = thread_self.tid;
        life->state |= BEGUN;
    }
    os_unlock(&lives_lock);
}

static void ends(void) {
    os_lock(&lives_lock);
    struct life *life = life_of(thread_self.number);
    if (life) __atomic_or_fetch(&life->state, ENDED, __ATOMIC_RELEASE);
    os_unlock(&lives_lock);
}

/* A child of fork has one thread, whose number is its parent's; that of others is nobody's. */
static void forked(void) {
    lives_lock = (struct os_lock){0};
    if (!lives) return;
    wh_fill(numbers, 0, HANDLES * sizeof *numbers);
    for (uint32_t i = 0; i < most; i++) lives[i] = (struct life){0};
    struct life *life = life_of(thread_self.number);
    if (!life) return;
    *life = (struct life){.presence = here, .tid = thread_self.tid, .state = BEGUN};
    enter(thread_self.number, (uint64_t)pthread_self());
}

/* ---- what a thread holds ---- */

static struct presence *new_presence(void) {
    struct presence *presence = left;
    if (presence)
        left = presence->next;
    else
        presence = rt_private(sizeof *presence);
    return presence;
}

struct presence *lives_presence(void) {
    if (WH_LIKELY(here)) return here;
    struct thread *thread = thread_here();
    if (!thread->tid) return NULL; /* the C library has made it for itself */
    os_lock(&lives_lock);
    struct life *life = have_tables() ? life_of(thread->number) : NULL;
    struct presence *presence = life ? new_presence() : NULL;
    if (presence) {
        presence->count = 0;
        presence->awaits = presence->released = 0;
        presence->number = thread->number;
        life->tid = thread->tid;
        life->state |= BEGUN;
        if (thread->number >= most) most = thread->number + 1u;
        __atomic_store_n(&life->presence, presence, __ATOMIC_RELEASE);
    }
    os_unlock(&lives_lock);
    here = presence;
    if (presence) judged_begin_thread();
    return presence;
}

void lives_leave(void) {
    struct presence *presence = here;
    if (!presence) return;
    here = NULL;
    os_lock(&lives_lock);
    struct life *life = life_of(thread_self.number);
    if (life && life->presence == presence) life->presence = NULL;
    presence->next = left;
    left = presence;
    os_unlock(&lives_lock);
}

void presence_await(struct presence *presence, unsigned kind, uintptr_t what, uint32_t stack) {
    if (!presence) return;
    presence->wait_stack = stack;
    presence->wait_time = blocks_clock;
    presence->awaited_kind = (uint8_t)kind;
    presence->waits++;
    __atomic_store_n(&presence->awaits, what, __ATOMIC_RELEASE);
}

struct held *presence_held(struct presence *presence, uintptr_t object) {
    if (!presence) return NULL;
    for (uint32_t i = presence->count; i-- > 0;)
        if (i < HELD_MOST && presence->held[i].object == object) return &presence->held[i];
    return NULL;
}

void presence_forget(struct presence *presence, uintptr_t object) {
    struct held *held = presence_held(presence, object);
    if (!held) return;
    const struct held *end = &presence->held[presence->count];
    for (; held + 1 < end; held++) held[0] = held[1];
    __atomic_store_n(&presence->count, presence->count - 1, __ATOMIC_RELEASE);
}

int lives_number(uint32_t tid) {
    uint32_t count = __atomic_load_n(&most, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; tid && i < count; i++) {
        uint8_t state = __atomic_load_n(&lives[i].state, __ATOMIC_ACQUIRE);
        if (lives[i].tid == tid && (state & (BEGUN | ENDED)) == BEGUN) return (int)i;
    }
    return -1;
}

struct presence *lives_of(int number) {
    struct life *life = number < 0 ? NULL : life_of((uint32_t)number);
    return life ? __atomic_load_n(&life->presence, __ATOMIC_ACQUIRE) : NULL;
}

void lives_each(void (*visit)(const struct presence *presence, void *argument), void *argument) {
    uint32_t count = __atomic_load_n(&most, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        struct presence *presence = lives_of((int)i);
        if (presence) visit(presence, argument);
    }
}

/* ---- what findings tell ---- */

void earlier_add(struct earlier_steps *steps, struct earlier step) {
    if (steps->count < WH_EARLIER_MOST) steps->steps[steps->count++] = step;
}

void lives_tell(struct earlier_steps *steps, uint32_t number) {
    const struct life *life = life_of(number);
    for (unsigned i = 0; i < steps->count; i++)
        if (steps->steps[i].kind == WH_EARLIER_CREATED && steps->steps[i].subject == number) return;
    if (!number || !life || !life->created_stack) return;
    earlier_add(steps, (struct earlier){WH_EARLIER_CREATED, number, life->creator,
                                        life->created_stack, life->created_time});
}

/* ---- joining and detaching ---- */

static void tell_parting(struct earlier_steps *steps, uint32_t number, const struct life *life) {
    if (life->parted_stack) {
        uint32_t kind = life->state & JOINED ? WH_EARLIER_JOINED : WH_EARLIER_DETACHED;
        earlier_add(steps, (struct earlier){kind, number, life->parter, life->parted_stack,
                                            life->parted_time});
    }
    lives_tell(steps, number);
}

static void evaluate(struct context *context, uint32_t number, const struct life *life) {
    struct earlier_steps steps = {.count = 0};
    tell_parting(&steps, number, life);
    context->event.point = WH_POINT_THREAD;
    context->event.value = number;
    context->event.other = !!(life->state & ENDED);
    context->event.width = !!(life->state & JOINED);
    context->event.least = !!(life->state & DETACHED);
    context->earlier = &steps;
    event_evaluate(context);
}

/* The caller's own handle is that of a thread that lives; the C library may have made it without
 * us, as for timers. */
static int is_own(const struct thread_parting *parting) {
    return parting->thread == (uint64_t)pthread_self();
}

static void parts(struct thread_parting *parting) {
    struct context context = {0};
    uint32_t number = 0;
    os_lock(&lives_lock);
    struct life *life = find(parting->thread, &number);
    struct life seen = life ? *life : (struct life){0};
    if (life && !parting->detaches) __atomic_or_fetch(&life->state, AWAITED, __ATOMIC_RELEASE);
    os_unlock(&lives_lock);
    parting->number = life ? number : UINT32_MAX;
    if (!life || (is_own(parting) && number != thread_self.number)) {
        parting->number = UINT32_MAX;
        return;
    }
    if (!parting->detaches && !parting->tries) circles_join(parting);
    if (!(seen.state & (JOINED | DETACHED)) || !judged_is(parting->frame, parting->is_checked))
        return;
    context.frame = parting->frame;
    context.library = parting->function;
    evaluate(&context, number, &seen);
}

static void parted(const struct thread_parting *parting, int error) {
    if (!parting->detaches) presence_arrive(lives_presence());
    if (parting->number >= LIVES) return;
    uint32_t stack = error ? 0 : port_stack(thread_here(), parting->frame);
    os_lock(&lives_lock);
    struct life *life = life_of(parting->number);
    if (life && life->handle == parting->thread && error) {
        __atomic_and_fetch(&life->state, (uint8_t)~AWAITED, __ATOMIC_RELEASE);
    } else if (life && life->handle == parting->thread) {
        __atomic_or_fetch(&life->state, parting->detaches ? DETACHED : JOINED, __ATOMIC_RELEASE);
        life->parted_stack = stack;
        life->parted_time = blocks_clock;
        life->parter = thread_self.number;
    }
    os_unlock(&lives_lock);
}

/* ---- the end of the process ---- */

static void finishes(void) {
    if (!event_watched(WH_POINT_THREAD)) return;
    uint32_t count = __atomic_load_n(&most, __ATOMIC_ACQUIRE);
    for (uint32_t i = 1; i < count; i++) {
        struct life seen = lives[i];
        /* Another thread may be about to have joined it. */
        if (!(seen.state & ENDED) || seen.state & (JOINED | DETACHED | AWAITED)) continue;
        if (!judged_stack(seen.created_stack)) continue;
        struct context context = {.check = WH_CHECK_END};
        context.event.low = 1;
        context.place = seen.created_stack;
        evaluate(&context, i, &seen);
    }
}

#define POINTS                                                                                     \
    (1ull << WH_POINT_THREAD | 1ull << WH_POINT_LOCK | 1ull << WH_POINT_UNLOCK |                   \
     1ull << WH_POINT_WAIT | 1ull << WH_POINT_MEET | 1ull << WH_POINT_THREAD_END |                 \
     1ull << WH_POINT_BLOCK | 1ull << WH_POINT_SHARE | 1ull << WH_POINT_LOCK_ORDER)

const struct observer lives_observer = {
    .points = POINTS,
    .creates = creates,
    .created = created,
    .begins = begins,
    .ends = ends,
    .parts = parts,
    .parted = parted,
    .finishes = finishes,
    .forked = forked,
};
