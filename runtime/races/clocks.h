/* Vector clocks: which steps of other threads happened before the present one of this thread.
 *
 * A thread has a lane, and counts its epochs: a new one begins where it releases what it has done
 * to others. Its clock has for each lane the last epoch whose steps happened before; so has the
 * clock of an object at which threads meet. (FastTrack, Flanagan and Freund 2009, sections 2 and
 * 3.) Edges that are assumed where the order is not known can only hide races.
 */
#ifndef WHENCE_RACES_CLOCKS_H
#define WHENCE_RACES_CLOCKS_H

#include <stdint.h>
#include "../os/os.h"

#define LANES 256u
/* The lane of threads for which there is no other one: what they access is not recorded. */
#define LANE_NONE (LANES - 1)
#define EPOCH_BITS 20u
#define EPOCH_LAST ((1u << EPOCH_BITS) - 1)

struct clock {
    struct os_lock lock;
    uint32_t count, room; /* lanes that it knows of; that there is room for */
    uint32_t *epochs;
    uint32_t version; /* changes with each release */
    uint32_t next;    /* of those that are free */
};

struct racer {
    uint32_t epochs[LANES];
    uint32_t epoch;      /* that steps of this thread have now */
    uint16_t number;     /* of the thread */
    uint8_t lane;        /* LANE_NONE: its accesses are not recorded */
    uint8_t has_steps;   /* some were recorded in the present epoch */
    uint8_t is_detached; /* nobody will join it */
    uint8_t is_busy; /* it holds the lock of a clock: a handler of a signal must not wait for it */
    uint32_t seen;   /* the version of the clock of unseen code that it has taken */
    struct clock fenced; /* what a release fence has released */
    struct clock wanted; /* what relaxed loads have seen, for the next acquire fence */
};

/* The calling thread's; NULL before there are two threads, and where the runtime made the thread
 * for itself. */
extern __thread struct racer *racer_here;

/* The first thread is about to be made by the calling one. 0: no memory is left. */
int racers_begin(uint16_t number);
/* Whether there were ever two threads. */
int racers_known(void);
/* The racer of a thread that the calling one makes; NULL: no memory is left. */
struct racer *racer_new(uint16_t number, int is_detached);
/* The calling thread is the one with this number. */
void racer_enter(uint16_t number);
/* The thread with this number has been joined by the calling one; or ends, detached. */
void racer_joined(uint16_t number);
void racer_detached(uint16_t number);
void racer_ended(void);
/* Later steps of the thread are not before what others do who take its clock as it is now. */
void racer_advance(struct racer *racer);
/* The number of the thread that was in a lane at an epoch. */
uint16_t racer_at(uint8_t lane, uint32_t epoch);
/* A child of fork has one thread. */
void racers_forked(void);

/* What is before the other's release is before what this thread does from now on. */
void clock_acquire(struct racer *racer, struct clock *clock);
/* What this thread has done is before what those do who acquire it. */
void clock_release(struct racer *racer, struct clock *clock);
/* What is before the one is before the other. */
void clock_join(struct clock *clock, struct clock *other);

/* The clock of what threads meet at, at an address; NULL: there is none, or no memory. */
struct clock *clock_at(uintptr_t address, int make);
/* What lay there is there no more. */
void clocks_clear(uintptr_t begin, uint64_t size);

long clocks_init(uintptr_t *begin, size_t *size);

#endif
