/* What comes before what a thread does, by what hands over from one thread to another: the begin
 * and end of threads, barriers, semaphores, and condition variables with their mutexes.
 *
 * Steps that such an order parts never meet, in no schedule, or only where the program does
 * something else. Other locks order nothing here: who gets one first is a matter of chance. A
 * thread has a lane, and its epochs there begin where it hands something over. Order that is
 * assumed where it is not known (objects whose places in a table are the same, a lane that another
 * thread had before) can only hide findings.
 */
#ifndef WHENCE_RT_PASTS_H
#define WHENCE_RT_PASTS_H

#include <stdint.h>
#include "../events/events.h"

#define PASTS 256u

struct past {
    uint32_t epochs[PASTS]; /* the last epoch of each lane that is before; in its own lane: that
                               others may know of */
    uint32_t changes;
    uint16_t number;
    uint8_t lane;
    uint8_t has_steps; /* in the present epoch */
    uint8_t is_detached, has_ended;
};

/* Of the calling thread; NULL: there was never a second thread, or nothing is known. */
extern __thread struct past *past_here;

static inline uint32_t past_epoch(const struct past *past) { return past->epochs[past->lane] + 1; }

/* What came before a step, kept for as long as somebody uses it. */
struct snapshot {
    uint32_t uses, count;
    uint32_t epochs[];
};

/* What comes before the present step of the calling thread, for one more user; NULL: no memory is
 * left. Whoever calls these holds one lock around all calls. */
struct snapshot *past_snapshot(void);
void past_drop(struct snapshot *snapshot);
/* The calling thread ends. */
void past_forget(void);

/* Lanes that threads have or had. */
uint32_t pasts_count(void);
/* Whether whoever has a lane now knows of an epoch of another lane. */
int pasts_all_know(uint8_t lane, uint32_t epoch);

/* The calling thread hands over at an object what it has done; it takes what was handed over. */
void pasts_release(uintptr_t object);
void pasts_acquire(uintptr_t object);
/* What the mutex protects is told by a condition variable, so it hands over itself from now on. */
void pasts_tells(uintptr_t mutex);
/* A lock is about to be released, or was got. */
void pasts_unlock(uintptr_t lock);
void pasts_lock(uintptr_t lock);

extern const struct observer pasts_observer;

#endif
