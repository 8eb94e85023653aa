/* Threads: which there are and were, who made them, and whether they were joined or detached. */
#ifndef WHENCE_RT_LIVES_H
#define WHENCE_RT_LIVES_H

#include "../findings/context.h"

/* A lock that a thread holds, as far as it was seen: `stack`: where it got it, at `time`. */
struct held {
    uintptr_t object;
    uint64_t time;
    uint32_t stack;
    uint8_t kind, shares;
};

#define HELD_MOST 48u
#define AWAITS_THREAD UINT8_MAX

/* What a thread holds and waits for. Other threads read it. */
struct presence {
    struct held held[HELD_MOST];
    uint32_t count;
    uint32_t wait_stack;
    uintptr_t awaits; /* an object, or the number of a thread that is joined; 0: nothing */
    uint64_t wait_time;
    uintptr_t released; /* the lock that it held last */
    uint32_t waits;     /* how often it has begun to wait */
    uint16_t number;
    uint8_t awaited_kind;  /* MEET_*, or AWAITS_THREAD */
    struct presence *next; /* of those that ended threads have left */
};

/* That of the calling thread; NULL: no memory is left. */
struct presence *lives_presence(void);
/* The calling thread is about to wait, and does so no longer. */
void presence_await(struct presence *presence, unsigned kind, uintptr_t what, uint32_t stack);
static inline void presence_arrive(struct presence *presence) {
    if (presence) __atomic_store_n(&presence->awaits, 0, __ATOMIC_RELEASE);
}
/* Where a living thread of this process has got a lock; NULL: it was not seen. */
struct held *presence_held(struct presence *presence, uintptr_t object);
/* The thread holds it no longer. */
void presence_forget(struct presence *presence, uintptr_t object);

/* The number of the living thread of this process that the kernel knows by this number; negative:
 * none that is known. */
int lives_number(uint32_t tid);
/* That thread's; NULL if nothing is known. */
struct presence *lives_of(int number);

/* Adds what is known of a thread to what a finding tells: where it was made. */
void lives_tell(struct earlier_steps *steps, uint32_t number);
void earlier_add(struct earlier_steps *steps, struct earlier step);
/* Calls `visit` for each presence of a living thread. */
void lives_each(void (*visit)(const struct presence *presence, void *argument), void *argument);

extern const struct observer lives_observer;

#endif
