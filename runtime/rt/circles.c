/* Threads that wait for each other.
 *
 * A thread says what it is about to wait for before it does (presence_await), and a lock says who
 * holds it. Nobody releases a lock while it waits for another one. So where the same threads still
 * wait, in the same calls, when the circle has been followed twice, none of them ever goes on.
 */
#include "meetings.h"
#include "event.h"
#include "lock_words.h"
#include "../events/events.h"
#include "../os/mem.h"

#define LONGEST 8u

struct link {
    struct presence *presence; /* of the thread that waits */
    uintptr_t awaits;
    uint32_t waits;
    uint8_t kind;
    int holder; /* the thread that it waits for */
};

static int holder_of(uint8_t kind, uintptr_t what) {
    uint32_t tid;
    if (kind == AWAITS_THREAD) return (int)what;
    if (kind != MEET_MUTEX && kind != MEET_SHARED) return -1;
    if (lock_state(kind, (const void *)what, &tid) != LOCK_HELD) return -1;
    return lives_number(tid);
}

/* Follows the threads from the calling one on; the number of links if they lead back to it, or 0.
 */
static unsigned follow(struct link *links) {
    struct presence *own = lives_presence(), *at = own;
    for (unsigned count = 0; at && count < LONGEST;) {
        struct link *link = &links[count++];
        *link = (struct link){.presence = at, .waits = at->waits, .kind = at->awaited_kind};
        link->awaits = __atomic_load_n(&at->awaits, __ATOMIC_SEQ_CST);
        if (!link->awaits) return 0;
        link->holder = holder_of(link->kind, link->awaits);
        at = lives_of(link->holder);
        if (at == own) return count;
    }
    return 0;
}

static unsigned find_circle(struct link *links) {
    struct link again[LONGEST];
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    unsigned count = follow(links);
    if (!count || follow(again) != count) return 0;
    for (unsigned i = 0; i < count; i++)
        if (links[i].presence != again[i].presence || links[i].awaits != again[i].awaits ||
            links[i].waits != again[i].waits || links[i].holder != again[i].holder)
            return 0;
    return count;
}

static void tell(struct earlier_steps *steps, const struct link *links, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        const struct presence *waiter = links[i].presence;
        if (i)
            earlier_add(steps, (struct earlier){WH_EARLIER_WAITS, 0, waiter->number,
                                                waiter->wait_stack, waiter->wait_time});
        if (links[i].kind == AWAITS_THREAD)
            lives_tell(steps, (uint32_t)links[i].holder);
        else
            meetings_tell_holder(steps, links[i].awaits, links[i].holder);
    }
}

static WH_COLD int judge(const char *function, const struct frame *frame, int is_checked,
                         uintptr_t lock) {
    struct link links[LONGEST];
    struct context context = {0};
    struct earlier_steps steps = {.count = 0};
    unsigned count = find_circle(links);
    /* A circle of one is another rule's. */
    if (count < 2 || !judged_is(frame, is_checked)) return 0;
    tell(&steps, links, count);
    context.event.point = WH_POINT_BLOCK;
    context.event.value = 1;
    context.event.r = context.event.root = lock;
    if (lock) block_read(block_at(lock), &context.event.block);
    context.frame = frame;
    context.library = function;
    context.earlier = &steps;
    event_evaluate(&context);
    return 1;
}

int circles_lock(const struct meeting *meeting) {
    return event_watched(WH_POINT_BLOCK) && judge(meeting->function, meeting->frame,
                                                  meeting->is_checked, (uintptr_t)meeting->object);
}

void circles_join(const struct thread_parting *parting) {
    /* The main thread's number is 0, which says that nothing is awaited. */
    if (!event_watched(WH_POINT_BLOCK) || !parting->number) return;
    presence_await(lives_presence(), AWAITS_THREAD, parting->number,
                   port_stack(thread_here(), parting->frame));
    judge(parting->function, parting->frame, parting->is_checked, 0);
}
