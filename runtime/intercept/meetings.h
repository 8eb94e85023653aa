/* Wrappers of functions that threads meet at: each function of the C library has one description
 * here, from which come the function that all code of the process calls, and the one that checked
 * code calls, which also checks what the function is given.
 *
 * Both announce the step before the call, and what came of it. Between these stands the thread's
 * turn: where a run is repeated, threads come to what they share in the order of the first run, and
 * the functions answer what they did then. What the C library calls by itself, and atomic
 * operations, are no meetings and have no turns.
 */
#ifndef WHENCE_INTERCEPT_MEETINGS_H
#define WHENCE_INTERCEPT_MEETINGS_H

#include "../events/events.h"
#include "../process/turns.h"
#include "check.h"
#include "real.h"

/* Whether a lock was got. */
static inline int is_got(int result) { return result == 0 || result == EOWNERDEAD; }

static inline void leave_turn(int kept, unsigned kind, int result) {
    if (kept)
        turns_keep(kind, (uint32_t)result);
    else
        turns_end();
}

/* A call that waits, or tries, until the thread has something; `again` gets it in a second run,
 * where `before` is the first one's result. */
#define IN_TURN(kind, call, again)                                                                 \
    do {                                                                                           \
        if (!TURNS_TAKEN) return (call);                                                           \
        uint32_t before = 0;                                                                       \
        int kept = TURNS_KEPT;                                                                     \
        if (!kept && !turns_await(kind, &before)) return (call);                                   \
        int got = kept ? (call) : (again);                                                         \
        leave_turn(kept, kind, got);                                                               \
        return got;                                                                                \
    } while (0)

#define MEETING_AT(at, with, name, what, how, together, checked)                                   \
    const struct meeting meeting = {                                                               \
        .object = (void *)(uintptr_t)(at),                                                         \
        .mutex = (with),                                                                           \
        .function = #name,                                                                         \
        .frame = FRAME_HERE,                                                                       \
        .kind = (what),                                                                            \
        .step = (how),                                                                             \
        .shares = (together),                                                                      \
        .is_checked = (checked),                                                                   \
    }

#define MEETING_CALLS(call)                                                                        \
    announce_meets(&meeting);                                                                      \
    int result = (call);                                                                           \
    announce_met(&meeting, result)

/* The function itself is `turn_NAME`, which the user of this defines before. `answer` makes of its
 * result that of the function. */
#define MEETS_AS(type, answer, name, parameters, arguments, at, with, what, how, together, checks) \
    WH_EXPORT type name parameters {                                                               \
        MEETING_AT(at, with, name, what, how, together, 0);                                        \
        MEETING_CALLS(turn_##name arguments);                                                      \
        answer;                                                                                    \
    }                                                                                              \
    WRAP(type, name, parameters) {                                                                 \
        checks;                                                                                    \
        MEETING_AT(at, with, name, what, how, together, 1);                                        \
        MEETING_CALLS(turn_##name arguments);                                                      \
        answer;                                                                                    \
    }

#define MEETS(name, parameters, arguments, what, how, together, checks)                            \
    MEETS_AS(int, return result, name, parameters, arguments, object, NULL, what, how, together,   \
             checks)

#define WRITES_OBJECT check_shared(SITE, (const void *)(uintptr_t)object, sizeof *object)

/* A function that does not wait. */
#define MEETS_AT_ONCE(name, type, what, how)                                                       \
    static int turn_##name(type *object) { return REAL(name)(object); }                            \
    MEETS(name, (type * object), (object), what, how, 0, WRITES_OBJECT)

/* The same of one with another argument, which is checked. */
#define MEETS_WITH(name, type, more_type, more, what, how, check)                                  \
    static int turn_##name(type *object, more_type more) { return REAL(name)(object, more); }      \
    MEETS(name, (type * object, more_type more), (object, more), what, how, 0,                     \
          (WRITES_OBJECT, check))

/* ---- locks ---- */

#define LOCK(name, type, what, together)                                                           \
    static int turn_##name(type *object) {                                                         \
        IN_TURN(WH_TURN_LOCK, REAL(name)(object), REAL(name)(object));                             \
    }                                                                                              \
    MEETS(name, (type * object), (object), what, MEET_LOCK, together, WRITES_OBJECT)

/* Does not wait, or not for ever: what was got the first time is waited for. */
#define TRY(name, type, lock, what, together)                                                      \
    static int turn_##name(type *object) {                                                         \
        IN_TURN(WH_TURN_TRY, REAL(name)(object),                                                   \
                is_got((int)before) ? REAL(lock)(object) : (int)before);                           \
    }                                                                                              \
    MEETS(name, (type * object), (object), what, MEET_TRY, together, WRITES_OBJECT)

#define UNTIL(name, type, lock, what, together)                                                    \
    static int turn_##name(type *object, const struct timespec *moment) {                          \
        IN_TURN(WH_TURN_TRY, REAL(name)(object, moment),                                           \
                is_got((int)before) ? REAL(lock)(object) : (int)before);                           \
    }                                                                                              \
    MEETS(name, (type *restrict object, const struct timespec *restrict moment), (object, moment), \
          what, MEET_UNTIL, together, (WRITES_OBJECT, USE(moment, sizeof *moment)))

/* In the C library from 2.30 on. */
#define UNTIL_CLOCK(name, type, lock, what, together)                                              \
    int name(type *, clockid_t, const struct timespec *);                                          \
    static int turn_##name(type *object, clockid_t clock, const struct timespec *moment) {         \
        IN_TURN(WH_TURN_TRY, REAL(name)(object, clock, moment),                                    \
                is_got((int)before) ? REAL(lock)(object) : (int)before);                           \
    }                                                                                              \
    MEETS(name, (type * object, clockid_t clock, const struct timespec *moment),                   \
          (object, clock, moment), what, MEET_UNTIL, together,                                     \
          (WRITES_OBJECT, USE(moment, sizeof *moment)))

#endif
