/* Functions at which threads wait for each other, which all code of the process calls here: where a
 * run is repeated, threads come to what they share in the order of the first run, and the functions
 * answer what they did then. What the C library calls by itself, and atomic operations, have no
 * turns. */
#include "../os/mem.h"
#include "../port/port.h"
#include "../process/turns.h"
#include "../replace/cxx.h"
#include "real.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

/* Whether a lock was got. */
static int is_got(int result) { return result == 0 || result == EOWNERDEAD; }

static void leave_turn(int kept, unsigned kind, int result) {
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

#define LOCK(name, type)                                                                           \
    WH_EXPORT int name(type *object) {                                                             \
        IN_TURN(WH_TURN_LOCK, REAL(name)(object), REAL(name)(object));                             \
    }

/* Does not wait, or not for ever: what was got the first time is waited for. */
#define TRY(name, type, lock)                                                                      \
    WH_EXPORT int name(type *object) {                                                             \
        IN_TURN(WH_TURN_TRY, REAL(name)(object),                                                   \
                is_got((int)before) ? REAL(lock)(object) : (int)before);                           \
    }

#define UNTIL(name, type, lock)                                                                    \
    WH_EXPORT int name(type *restrict object, const struct timespec *restrict moment) {            \
        IN_TURN(WH_TURN_TRY, REAL(name)(object, moment),                                           \
                is_got((int)before) ? REAL(lock)(object) : (int)before);                           \
    }

/* In the C library from 2.30 on. */
#define UNTIL_CLOCK(name, type, lock)                                                              \
    int name(type *, clockid_t, const struct timespec *);                                          \
    WH_EXPORT int name(type *object, clockid_t clock, const struct timespec *moment) {             \
        IN_TURN(WH_TURN_TRY, REAL(name)(object, clock, moment),                                    \
                is_got((int)before) ? REAL(lock)(object) : (int)before);                           \
    }

LOCK(pthread_mutex_lock, pthread_mutex_t)
TRY(pthread_mutex_trylock, pthread_mutex_t, pthread_mutex_lock)
UNTIL(pthread_mutex_timedlock, pthread_mutex_t, pthread_mutex_lock)
UNTIL_CLOCK(pthread_mutex_clocklock, pthread_mutex_t, pthread_mutex_lock)

LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)
TRY(pthread_rwlock_tryrdlock, pthread_rwlock_t, pthread_rwlock_rdlock)
TRY(pthread_rwlock_trywrlock, pthread_rwlock_t, pthread_rwlock_wrlock)
UNTIL(pthread_rwlock_timedrdlock, pthread_rwlock_t, pthread_rwlock_rdlock)
UNTIL(pthread_rwlock_timedwrlock, pthread_rwlock_t, pthread_rwlock_wrlock)
UNTIL_CLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t, pthread_rwlock_rdlock)
UNTIL_CLOCK(pthread_rwlock_clockwrlock, pthread_rwlock_t, pthread_rwlock_wrlock)

LOCK(pthread_spin_lock, pthread_spinlock_t)
TRY(pthread_spin_trylock, pthread_spinlock_t, pthread_spin_lock)

/* ---- conditions ---- */

/* Conditions have had another form under the same names. */
#if defined __x86_64__
#define CONDITIONS "GLIBC_2.3.2"
#else
#define CONDITIONS "GLIBC_2.17"
#endif
#define REAL_WAIT(name) REAL_OF(name, CONDITIONS)

/* In a second run a thread does not wait for the signal, which might wake another thread, but for
 * its turn to wake. */
#define WAIT_AGAIN(call, lock, unlock, mutex)                                                      \
    do {                                                                                           \
        uint32_t before;                                                                           \
        int result;                                                                                \
        if (!TURNS_TAKEN) return (call);                                                           \
        if (TURNS_KEPT) {                                                                          \
            result = (call);                                                                       \
            turns_keep(WH_TURN_WAKE, (uint32_t)result);                                            \
            return result;                                                                         \
        }                                                                                          \
        if (!turns_expect(WH_TURN_WAKE)) return (call);                                            \
        unlock(mutex);                                                                             \
        int has_turn = turns_await(WH_TURN_WAKE, &before);                                         \
        REAL(lock)(mutex);                                                                         \
        if (!has_turn) return 0; /* for no reason, as is allowed */                                \
        turns_end();                                                                               \
        return (int)before;                                                                        \
    } while (0)

WH_EXPORT int pthread_cond_wait(pthread_cond_t *restrict condition,
                                pthread_mutex_t *restrict mutex) {
    WAIT_AGAIN(REAL_WAIT(pthread_cond_wait)(condition, mutex), pthread_mutex_lock,
               pthread_mutex_unlock, mutex);
}

WH_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict condition,
                                     pthread_mutex_t *restrict mutex,
                                     const struct timespec *restrict moment) {
    WAIT_AGAIN(REAL_WAIT(pthread_cond_timedwait)(condition, mutex, moment), pthread_mutex_lock,
               pthread_mutex_unlock, mutex);
}

int pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
WH_EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                     clockid_t clock, const struct timespec *moment) {
    WAIT_AGAIN(REAL(pthread_cond_clockwait)(condition, mutex, clock, moment), pthread_mutex_lock,
               pthread_mutex_unlock, mutex);
}

/* ---- semaphores, whose functions say by `errno` why they fail ---- */

static int get(sem_t *semaphore) {
    int result;
    do result = REAL(sem_wait)(semaphore);
    while (result && errno == EINTR);
    return (int)with_error(result);
}

#define SEMAPHORE(kind, call)                                                                      \
    IN_TURN(kind, (int)with_error(call), (int)before ? (int)before : get(semaphore))

static int wait(sem_t *semaphore) { SEMAPHORE(WH_TURN_LOCK, REAL(sem_wait)(semaphore)); }
static int try(sem_t *semaphore) { SEMAPHORE(WH_TURN_TRY, REAL(sem_trywait)(semaphore)); }

static int wait_until(sem_t *semaphore, const struct timespec *moment) {
    SEMAPHORE(WH_TURN_TRY, REAL(sem_timedwait)(semaphore, moment));
}

int sem_clockwait(sem_t *, clockid_t, const struct timespec *);
static int wait_clock(sem_t *semaphore, clockid_t clock, const struct timespec *moment) {
    SEMAPHORE(WH_TURN_TRY, REAL(sem_clockwait)(semaphore, clock, moment));
}

WH_EXPORT int sem_wait(sem_t *semaphore) { return (int)without_error(wait(semaphore)); }
WH_EXPORT int sem_trywait(sem_t *semaphore) { return (int)without_error(try(semaphore)); }

WH_EXPORT int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict moment) {
    return (int)without_error(wait_until(semaphore, moment));
}

WH_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *moment) {
    return (int)without_error(wait_clock(semaphore, clock, moment));
}

static int value_of(sem_t *semaphore) {
    int value;
    REAL(sem_getvalue)(semaphore, &value);
    return value;
}

static int value_again(sem_t *semaphore) {
    IN_TURN(WH_TURN_VALUE, value_of(semaphore), (int)before);
}

WH_EXPORT int sem_getvalue(sem_t *restrict semaphore, int *restrict value) {
    *value = value_again(semaphore);
    return 0;
}

/* ---- barriers, ends of threads ---- */

/* Which of the threads is the one that is told that it is. */
WH_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier) {
    int came = REAL(pthread_barrier_wait)(barrier);
    IN_TURN(WH_TURN_VALUE, came, (int)before);
}

WH_EXPORT int pthread_tryjoin_np(pthread_t thread, void **result) {
    IN_TURN(WH_TURN_TRY, REAL(pthread_tryjoin_np)(thread, result),
            before ? (int)before : pthread_join(thread, result));
}

WH_EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *moment) {
    IN_TURN(WH_TURN_TRY, REAL(pthread_timedjoin_np)(thread, result, moment),
            before ? (int)before : pthread_join(thread, result));
}

/* ---- what happens once, in the thread that comes first ---- */

/* How far a call is of which there is to be one for each object. */
enum stage { STAGE_NONE, STAGE_BEGUN, STAGE_DONE };

/* Returns when the call is done, or to the thread that made it the first time, in its turn (1). A
 * thread that is yet to make such a call for another object does not wait for that. */
static int let_first(const void *object, enum stage (*stage)(const void *)) {
    while (TURNS_TAKEN && !TURNS_KEPT && stage(object) != STAGE_DONE) {
        if (turns_try(WH_TURN_ONCE)) {
            if (stage(object) == STAGE_NONE) return 1;
            turns_leave();
        }
        if (!turns_pause()) break;
    }
    return 0;
}

/* The C library's values: bit 0 while the function runs, 2 when it has returned. */
static enum stage once_stage(const void *object) {
    int value = __atomic_load_n((const int *)object, __ATOMIC_ACQUIRE);
    return value == 2 ? STAGE_DONE : value & 1 ? STAGE_BEGUN : STAGE_NONE;
}

/* What the calling thread calls. A function called by it may do the same. */
static __thread void (*to_do)(void);
static __thread int its_turn;

static void do_once(void) {
    void (*function)(void) = to_do;
    if (TURNS_TAKEN && TURNS_KEPT) turns_keep(WH_TURN_ONCE, 0);
    if (its_turn) turns_end();
    its_turn = 0;
    function();
}

WH_EXPORT int pthread_once(pthread_once_t *once, void (*function)(void)) {
    if (!TURNS_TAKEN) return REAL(pthread_once)(once, function);
    void (*outer)(void) = to_do;
    to_do = function;
    its_turn = let_first((const void *)(uintptr_t)once, once_stage);
    int result = REAL(pthread_once)(once, do_once);
    to_do = outer;
    return result;
}

WH_EXPORT void call_once(once_flag *flag, void (*function)(void)) {
    pthread_once((pthread_once_t *)flag, function);
}

/* What guards a static variable of C++: its first byte when the variable has its value, its second
 * one while a thread gives it one. */
static enum stage guard_stage(const void *guard) {
    uint16_t bytes = __atomic_load_n((const uint16_t *)guard, __ATOMIC_ACQUIRE);
    return bytes & 0xff ? STAGE_DONE : bytes ? STAGE_BEGUN : STAGE_NONE;
}

int __cxa_guard_acquire(void *guard);
WH_EXPORT int __cxa_guard_acquire(void *guard) {
    int (*next)(void *) = CXX_FUNCTION(int, __cxa_guard_acquire, (void *));
    if (!TURNS_TAKEN) return next(guard);
    int turn = let_first(guard, guard_stage), first = next(guard);
    if (turn)
        turns_end();
    else if (first && TURNS_TAKEN && TURNS_KEPT)
        turns_keep(WH_TURN_ONCE, 0);
    return first;
}

/* ---- threads.h ---- */

LOCK(mtx_lock, mtx_t)

static int is_free(int result) { return result == thrd_success; }

WH_EXPORT int mtx_trylock(mtx_t *mutex) {
    IN_TURN(WH_TURN_TRY, REAL(mtx_trylock)(mutex),
            is_free((int)before) ? REAL(mtx_lock)(mutex) : (int)before);
}

WH_EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict moment) {
    IN_TURN(WH_TURN_TRY, REAL(mtx_timedlock)(mutex, moment),
            is_free((int)before) ? REAL(mtx_lock)(mutex) : (int)before);
}

WH_EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex) {
    WAIT_AGAIN(REAL(cnd_wait)(condition, mutex), mtx_lock, mtx_unlock, mutex);
}

WH_EXPORT int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex,
                            const struct timespec *restrict moment) {
    WAIT_AGAIN(REAL(cnd_timedwait)(condition, mutex, moment), mtx_lock, mtx_unlock, mutex);
}
