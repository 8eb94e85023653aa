/* Locks and their like: what rules see of them, and which locks each thread holds. */
#include "meetings.h"
#include "event.h"
#include "lock_words.h"
#include "orders.h"
#include "pasts.h"
#include "../events/events.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/images.h"

#include <errno.h>
#include <pthread.h>

/* ---- whose calls ---- */

int judged_stack(uint32_t stack) {
    uint64_t pcs[WH_ALLOC_FRAMES];
    unsigned count = depot_get(stack, pcs, WH_ALLOC_FRAMES), at = 0;
    while (at < count && images_kind(pcs[at]) == IMAGE_SYSTEM) at++;
    return at < count && images_has_checks(pcs[at]);
}

int judged_is(const struct frame *frame, int is_checked) {
    return is_checked || judged_stack(port_stack(thread_here(), frame));
}

/* ---- findings ---- */

/* Where the destruction of an object is kept; a later one may take the place. */
#define DESTRUCTIONS 16384u

static struct destruction {
    uintptr_t object;
    uint64_t time;
    uint32_t stack;
    uint16_t thread;
    uint16_t told; /* a use was reported, and later ones are its consequences */
} destructions[DESTRUCTIONS];
static struct os_lock destructions_lock;

static struct destruction *destruction_of(uintptr_t object) {
    return &destructions[(object >> 3) * 0x9e3779b97f4a7c15ull >> 50];
}

/* Whether a use of a destroyed object is the first one. */
static int tell_destruction(struct earlier_steps *steps, uintptr_t object) {
    os_lock(&destructions_lock);
    struct destruction known = *destruction_of(object);
    if (known.object == object) destruction_of(object)->told = 1;
    os_unlock(&destructions_lock);
    /* Memory that was never initialised may look as if it were destroyed. */
    if (known.object != object) return 0;
    earlier_add(steps,
                (struct earlier){WH_EARLIER_DESTROYED, 0, known.thread, known.stack, known.time});
    lives_tell(steps, known.thread);
    return !known.told;
}

void meetings_tell_holder(struct earlier_steps *steps, uintptr_t object, int number) {
    const struct held *held = number < 0 ? NULL : presence_held(lives_of(number), object);
    if (held)
        earlier_add(steps, (struct earlier){WH_EARLIER_LOCKED, 0, (uint32_t)number, held->stack,
                                            held->time});
    if (number >= 0) lives_tell(steps, (uint32_t)number);
}

struct search {
    struct earlier_steps *steps;
    uintptr_t object;
};

static void tell_waiter(const struct presence *presence, void *argument) {
    struct search *search = argument;
    if (__atomic_load_n(&presence->awaits, __ATOMIC_ACQUIRE) != search->object) return;
    earlier_add(search->steps, (struct earlier){WH_EARLIER_WAITS, 0, presence->number,
                                                presence->wait_stack, presence->wait_time});
    lives_tell(search->steps, presence->number);
}

static WH_COLD void report(struct context *context, const struct meeting *meeting,
                           struct earlier_steps *steps) {
    uintptr_t object = (uintptr_t)meeting->object;
    lives_tell(steps, thread_here()->number);
    context->event.r = context->event.root = object;
    block_read(block_at(object), &context->event.block);
    context->frame = meeting->frame;
    context->library = meeting->function;
    context->earlier = steps;
    event_evaluate(context);
}

/* A step at a lock of which `holder` says who holds it: 0 nobody, 1 this thread, 2 the thread with
 * that number. */
static WH_COLD void report_holder(unsigned point, const struct meeting *meeting, const void *lock,
                                  unsigned holder, int number) {
    if (!event_watched(point) || !judged_is(meeting->frame, meeting->is_checked)) return;
    struct earlier_steps steps = {.count = 0};
    struct context context = {0};
    context.event.point = point;
    context.event.value = holder;
    if (point == WH_POINT_WAIT) context.event.other = (uint64_t)lock;
    if (holder) meetings_tell_holder(&steps, (uintptr_t)lock, number);
    report(&context, meeting, &steps);
}

/* ---- what is judged ---- */

static WH_COLD void judge_destroyed(const struct meeting *meeting, unsigned kind, void *object) {
    struct meeting at = *meeting;
    at.object = object;
    if (!event_watched(WH_POINT_MEET) || !judged_is(meeting->frame, meeting->is_checked)) return;
    if (at.step == MEET_INIT) return;
    struct earlier_steps steps = {.count = 0};
    struct context context = {0};
    context.event.point = WH_POINT_MEET;
    context.event.value = 1;
    context.event.width = at.step == MEET_DESTROY && object == meeting->object;
    at.kind = (uint8_t)kind;
    if (tell_destruction(&steps, (uintptr_t)object)) report(&context, &at, &steps);
}

static void judge_destroying(const struct meeting *meeting) {
    uint32_t tid;
    enum lock_state state = lock_state(meeting->kind, meeting->object, &tid);
    int number = state == LOCK_HELD ? lives_number(tid) : -1;
    int awaited = lock_is_awaited(meeting->kind, meeting->object);
    /* Whose it is where no living thread of this process holds it, a child of fork cannot know. */
    if (!awaited && (number < 0 || !lock_is_plain(meeting->kind, meeting->object))) return;
    if (!event_watched(WH_POINT_MEET) || !judged_is(meeting->frame, meeting->is_checked)) return;
    struct earlier_steps steps = {.count = 0};
    struct context context = {0};
    struct search search = {&steps, (uintptr_t)meeting->object};
    context.event.point = WH_POINT_MEET;
    context.event.width = context.event.least = 1;
    meetings_tell_holder(&steps, search.object, number);
    lives_each(tell_waiter, &search);
    report(&context, meeting, &steps);
}

static void await(const struct meeting *meeting) {
    presence_await(lives_presence(), meeting->kind, (uintptr_t)meeting->object,
                   port_stack(&thread_self, meeting->frame));
}

static void judge_lock(const struct meeting *meeting) {
    uint32_t tid;
    await(meeting);
    int is_held = lock_state(meeting->kind, meeting->object, &tid) == LOCK_HELD;
    struct thread *thread = thread_here();
    if (!is_held || tid == thread->tid || !circles_lock(meeting)) orders_lock(meeting);
    if (!is_held) return;
    if (tid != thread->tid || meeting->shares || !lock_is_plain(meeting->kind, meeting->object))
        return;
    /* Of a thread that has ended, this one may have the number. */
    if (!presence_held(lives_presence(), (uintptr_t)meeting->object)) return;
    report_holder(WH_POINT_LOCK, meeting, meeting->object, 1, thread->number);
}

static void judge_holder(unsigned point, const struct meeting *meeting, unsigned kind,
                         const void *lock) {
    uint32_t tid;
    enum lock_state state = lock_state(kind, lock, &tid);
    if (WH_LIKELY(state == LOCK_HELD && tid == thread_here()->tid) || state == LOCK_UNKNOWN) return;
    if (point == WH_POINT_WAIT ? !lock_is_waited_with(lock) : !lock_is_plain(kind, lock)) return;
    int number = state == LOCK_FREE ? -1 : lives_number(tid);
    if (state == LOCK_HELD && number < 0) return;
    report_holder(point, meeting, lock, state == LOCK_FREE ? 0 : 2, number);
}

/* ---- which locks a thread holds ---- */

static void hold(const struct meeting *meeting) {
    struct presence *presence = lives_presence();
    if (!presence) return;
    uint32_t stack = presence->wait_stack;
    if (meeting->step != MEET_LOCK) stack = port_stack(&thread_self, meeting->frame);
    presence_arrive(presence);
    uint32_t at = presence->count;
    if (at == HELD_MOST) { /* the oldest one is forgotten, as its place is in a report */
        for (at = 0; at + 1 < HELD_MOST; at++) presence->held[at] = presence->held[at + 1];
    }
    presence->held[at] = (struct held){
        .object = (uintptr_t)meeting->object,
        .time = blocks_clock,
        .stack = stack,
        .kind = meeting->kind,
        .shares = meeting->shares,
    };
    __atomic_store_n(&presence->count, at + 1, __ATOMIC_RELEASE);
}

static void release(const struct meeting *meeting) {
    struct presence *presence = lives_presence();
    pasts_unlock((uintptr_t)meeting->object);
    presence_forget(presence, (uintptr_t)meeting->object);
    if (presence) presence->released = (uintptr_t)meeting->object;
}

/* ---- what hands over from one thread to another ---- */

/* What a signal tells of is protected by a mutex that the thread holds, or has just released. */
static void tell_others(const struct meeting *meeting) {
    const struct presence *presence = lives_presence();
    if (meeting->kind == MEET_CONDITION && presence) {
        if (presence->released) pasts_tells(presence->released);
        for (uint32_t i = 0; i < presence->count; i++) pasts_tells(presence->held[i].object);
        if (presence->released) pasts_unlock(presence->released);
    }
    pasts_release((uintptr_t)meeting->object);
}

static void begin_wait(const struct meeting *meeting) {
    if (meeting->mutex) {
        pasts_tells((uintptr_t)meeting->mutex);
        pasts_unlock((uintptr_t)meeting->mutex);
    }
    if (meeting->kind == MEET_BARRIER) pasts_release((uintptr_t)meeting->object);
}

static void end_wait(const struct meeting *meeting) {
    pasts_acquire((uintptr_t)meeting->object);
    if (meeting->mutex) pasts_lock((uintptr_t)meeting->mutex);
}

/* ---- events ---- */

static int is_lock(unsigned kind) { return kind <= MEET_SPIN; }

/* Whether a lock was got; its last owner may have died. */
static int is_got(int result) { return !result || result == EOWNERDEAD; }

static int initialises(const struct meeting *meeting) { return meeting->step == MEET_INIT; }

static void meets(const struct meeting *meeting) {
    if (initialises(meeting)) return;
    if (WH_UNLIKELY(lock_is_destroyed(meeting->kind, meeting->object)))
        judge_destroyed(meeting, meeting->kind, meeting->object);
    switch (meeting->step) {
    case MEET_LOCK: judge_lock(meeting); break;
    case MEET_UNLOCK:
        judge_holder(WH_POINT_UNLOCK, meeting, meeting->kind, meeting->object);
        release(meeting);
        break;
    case MEET_DESTROY: judge_destroying(meeting); break;
    case MEET_SIGNAL: tell_others(meeting); break;
    case MEET_WAIT:
        begin_wait(meeting);
        if (meeting->mutex) {
            if (WH_UNLIKELY(lock_is_destroyed(MEET_MUTEX, meeting->mutex)))
                judge_destroyed(meeting, MEET_MUTEX, meeting->mutex);
            else
                judge_holder(WH_POINT_WAIT, meeting, MEET_MUTEX, meeting->mutex);
            orders_wait(meeting);
        }
        await(meeting);
        break;
    default: break;
    }
}

static void note_destruction(const struct meeting *meeting) {
    struct thread *thread = thread_here();
    uintptr_t object = (uintptr_t)meeting->object;
    struct destruction made = {object, blocks_clock, port_stack(thread, meeting->frame),
                               thread->number, 0};
    os_lock(&destructions_lock);
    *destruction_of(object) = made;
    os_unlock(&destructions_lock);
    lock_note_destroyed(meeting->kind, meeting->object);
}

static void met(const struct meeting *meeting, int result) {
    switch (meeting->step) {
    case MEET_LOCK:
    case MEET_TRY:
    case MEET_UNTIL:
        if (is_lock(meeting->kind) && is_got(result)) {
            hold(meeting);
            pasts_lock((uintptr_t)meeting->object);
        } else if (meeting->step == MEET_LOCK) {
            presence_arrive(lives_presence());
        } else if (!result) {
            pasts_acquire((uintptr_t)meeting->object);
        }
        break;
    case MEET_WAIT:
        presence_arrive(lives_presence());
        end_wait(meeting);
        break;
    case MEET_INIT:
        orders_renew((uintptr_t)meeting->object);
        if (!result) lock_note_initialised(meeting->kind, meeting->object);
        break;
    case MEET_DESTROY:
        orders_renew((uintptr_t)meeting->object);
        if (!result) note_destruction(meeting);
        break;
    default: break;
    }
}

/* ---- the end of a thread ---- */

/* The C library calls the functions of all keys, and again as long as they set values anew, four
 * times at most. What the program's functions release in the last round is held until then. */
#define ROUNDS 4u

static pthread_key_t end_key;
static int end_key_made;

/* Whether a lock of a thread that ends is held by it, and lies in memory that has not ended. */
static int is_left(const struct held *held) {
    uint32_t tid;
    uintptr_t at = held->object;
    if (at - thread_self.stack.low < thread_self.stack.high - thread_self.stack.low) return 0;
    if (!os_readable(at)) return 0;
    struct whence_block block;
    block_read(block_at(at), &block);
    if (block.id && block.state != WH_BLOCK_LIVE) return 0;
    if (block.id && block.kind == WH_KIND_HEAP && block.id > held->time) return 0;
    return lock_state(held->kind, (const void *)at, &tid) == LOCK_HELD && tid == thread_self.tid;
}

static WH_COLD void judge_end(const struct held *held) {
    if (!event_watched(WH_POINT_THREAD_END) || !is_left(held) || !judged_stack(held->stack)) return;
    struct earlier_steps steps = {.count = 0};
    struct context context = {.place = held->stack};
    context.event.point = WH_POINT_THREAD_END;
    context.event.value = 1;
    context.event.r = context.event.root = held->object;
    block_read(block_at(held->object), &context.event.block);
    lives_tell(&steps, thread_self.number);
    context.earlier = &steps;
    event_evaluate(&context);
}

static void end_thread(void *value) {
    uintptr_t round = (uintptr_t)value;
    if (round < ROUNDS) {
        pthread_setspecific(end_key, (void *)(round + 1));
        return;
    }
    struct presence *presence = lives_presence();
    for (uint32_t i = 0; presence && i < presence->count; i++) judge_end(&presence->held[i]);
    lives_leave();
}

void judged_begin_thread(void) {
    if (end_key_made) pthread_setspecific(end_key, (void *)1);
}

void meetings_begin(void) {
    end_key_made = pthread_key_create(&end_key, end_thread) == 0;
    lock_words_begin();
}

static void forked(void) { destructions_lock = (struct os_lock){0}; }

#define POINTS                                                                                     \
    (1ull << WH_POINT_LOCK | 1ull << WH_POINT_UNLOCK | 1ull << WH_POINT_WAIT |                     \
     1ull << WH_POINT_MEET | 1ull << WH_POINT_THREAD_END | 1ull << WH_POINT_BLOCK |                \
     1ull << WH_POINT_SHARE | 1ull << WH_POINT_LOCK_ORDER)

const struct observer meetings_observer = {
    .points = POINTS,
    .meets = meets,
    .met = met,
    .forked = forked,
};
