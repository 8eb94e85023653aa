/* pthread.h, semaphore.h, threads.h: what threads wait at that is no lock. */
#include <stdarg.h>
#include "conditions.h"
#include "meetings.h"

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

/* ---- conditions ---- */

#define REAL_CONDITION(name) REAL_OF(name, CONDITIONS)

#define ON_CONDITION(name, how)                                                                    \
    static int turn_##name(pthread_cond_t *object) { return REAL_CONDITION(name)(object); }        \
    MEETS(name, (pthread_cond_t * object), (object), MEET_CONDITION, how, 0, WRITES_OBJECT)

ON_CONDITION(pthread_cond_destroy, MEET_DESTROY)
ON_CONDITION(pthread_cond_signal, MEET_SIGNAL)
ON_CONDITION(pthread_cond_broadcast, MEET_SIGNAL)

static int turn_pthread_cond_init(pthread_cond_t *object, const pthread_condattr_t *attributes) {
    return REAL_CONDITION(pthread_cond_init)(object, attributes);
}
MEETS(pthread_cond_init, (pthread_cond_t * object, const pthread_condattr_t *attributes),
      (object, attributes), MEET_CONDITION, MEET_INIT, 0,
      (WRITES_OBJECT, READ_IF(attributes, sizeof *attributes)))

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
        REAL(unlock)(mutex);                                                                       \
        int has_turn = turns_await(WH_TURN_WAKE, &before);                                         \
        REAL(lock)(mutex);                                                                         \
        if (!has_turn) return 0; /* for no reason, as is allowed */                                \
        turns_end();                                                                               \
        return (int)before;                                                                        \
    } while (0)

#define WAITS(name, parameters, arguments, checks)                                                 \
    MEETS_AS(int, return result, name, parameters, arguments, object, mutex, MEET_CONDITION,       \
             MEET_WAIT, 0, (WRITES_OBJECT, check_shared(SITE, mutex, sizeof *mutex), checks))

static int turn_pthread_cond_wait(pthread_cond_t *object, pthread_mutex_t *mutex) {
    WAIT_AGAIN(REAL_CONDITION(pthread_cond_wait)(object, mutex), pthread_mutex_lock,
               pthread_mutex_unlock, mutex);
}
WAITS(pthread_cond_wait, (pthread_cond_t *restrict object, pthread_mutex_t *restrict mutex),
      (object, mutex), (void)0)

static int turn_pthread_cond_timedwait(pthread_cond_t *object, pthread_mutex_t *mutex,
                                       const struct timespec *moment) {
    WAIT_AGAIN(REAL_CONDITION(pthread_cond_timedwait)(object, mutex, moment), pthread_mutex_lock,
               pthread_mutex_unlock, mutex);
}
WAITS(pthread_cond_timedwait,
      (pthread_cond_t *restrict object, pthread_mutex_t *restrict mutex,
       const struct timespec *restrict moment),
      (object, mutex, moment), USE(moment, sizeof *moment))

int pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
static int turn_pthread_cond_clockwait(pthread_cond_t *object, pthread_mutex_t *mutex,
                                       clockid_t clock, const struct timespec *moment) {
    WAIT_AGAIN(REAL(pthread_cond_clockwait)(object, mutex, clock, moment), pthread_mutex_lock,
               pthread_mutex_unlock, mutex);
}
WAITS(pthread_cond_clockwait,
      (pthread_cond_t * object, pthread_mutex_t *mutex, clockid_t clock,
       const struct timespec *moment),
      (object, mutex, clock, moment), USE(moment, sizeof *moment))

/* ---- semaphores, whose functions say by `errno` why they fail ---- */

static int get(sem_t *semaphore) {
    int result;
    do result = REAL(sem_wait)(semaphore);
    while (result && errno == EINTR);
    return (int)with_error(result);
}

#define ON_SEMAPHORE(name, parameters, arguments, how, checks)                                     \
    MEETS_AS(int, return (int)without_error(result), name, parameters, arguments, object, NULL,    \
             MEET_SEMAPHORE, how, 0, (WRITES_OBJECT, checks))

#define GETS(kind, name, arguments)                                                                \
    IN_TURN(kind, (int)with_error(REAL(name) arguments), (int)before ? (int)before : get(object))

static int turn_sem_wait(sem_t *object) { GETS(WH_TURN_LOCK, sem_wait, (object)); }
ON_SEMAPHORE(sem_wait, (sem_t * object), (object), MEET_WAIT, (void)0)

static int turn_sem_trywait(sem_t *object) { GETS(WH_TURN_TRY, sem_trywait, (object)); }
ON_SEMAPHORE(sem_trywait, (sem_t * object), (object), MEET_TRY, (void)0)

static int turn_sem_timedwait(sem_t *object, const struct timespec *moment) {
    GETS(WH_TURN_TRY, sem_timedwait, (object, moment));
}
ON_SEMAPHORE(sem_timedwait, (sem_t *restrict object, const struct timespec *restrict moment),
             (object, moment), MEET_UNTIL, USE(moment, sizeof *moment))

int sem_clockwait(sem_t *, clockid_t, const struct timespec *);
static int turn_sem_clockwait(sem_t *object, clockid_t clock, const struct timespec *moment) {
    GETS(WH_TURN_TRY, sem_clockwait, (object, clock, moment));
}
ON_SEMAPHORE(sem_clockwait, (sem_t * object, clockid_t clock, const struct timespec *moment),
             (object, clock, moment), MEET_UNTIL, USE(moment, sizeof *moment))

static int turn_sem_post(sem_t *object) { return (int)with_error(REAL(sem_post)(object)); }
ON_SEMAPHORE(sem_post, (sem_t * object), (object), MEET_SIGNAL, (void)0)

static int turn_sem_init(sem_t *object, int shared, unsigned value) {
    return (int)with_error(REAL(sem_init)(object, shared, value));
}
ON_SEMAPHORE(sem_init, (sem_t * object, int shared, unsigned value), (object, shared, value),
             MEET_INIT, (void)0)

static int turn_sem_destroy(sem_t *object) { return (int)with_error(REAL(sem_destroy)(object)); }
ON_SEMAPHORE(sem_destroy, (sem_t * object), (object), MEET_DESTROY, (void)0)

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

WRAP(int, sem_getvalue, (sem_t * semaphore, int *value)) {
    READ(semaphore, sizeof *semaphore);
    WRITE(value, sizeof *value);
    return sem_getvalue(semaphore, value);
}

/* ---- barriers ---- */

static int turn_pthread_barrier_init(pthread_barrier_t *object,
                                     const pthread_barrierattr_t *attributes, unsigned count) {
    return REAL(pthread_barrier_init)(object, attributes, count);
}
MEETS(pthread_barrier_init,
      (pthread_barrier_t *restrict object, const pthread_barrierattr_t *restrict attributes,
       unsigned count),
      (object, attributes, count), MEET_BARRIER, MEET_INIT, 0,
      (WRITES_OBJECT, READ_IF(attributes, sizeof *attributes)))

MEETS_AT_ONCE(pthread_barrier_destroy, pthread_barrier_t, MEET_BARRIER, MEET_DESTROY)

/* Which of the threads is the one that is told that it is. */
static int turn_pthread_barrier_wait(pthread_barrier_t *object) {
    int came = REAL(pthread_barrier_wait)(object);
    IN_TURN(WH_TURN_VALUE, came, (int)before);
}
MEETS(pthread_barrier_wait, (pthread_barrier_t * object), (object), MEET_BARRIER, MEET_WAIT, 0,
      WRITES_OBJECT)

/* ---- threads.h ---- */

MEETS_AT_ONCE(cnd_init, cnd_t, MEET_CONDITION, MEET_INIT)
MEETS_AT_ONCE(cnd_signal, cnd_t, MEET_CONDITION, MEET_SIGNAL)
MEETS_AT_ONCE(cnd_broadcast, cnd_t, MEET_CONDITION, MEET_SIGNAL)

static int turn_cnd_destroy(cnd_t *object) {
    REAL(cnd_destroy)(object);
    return 0;
}
MEETS_AS(void, (void)result, cnd_destroy, (cnd_t * object), (object), object, NULL, MEET_CONDITION,
         MEET_DESTROY, 0, WRITES_OBJECT)

static int turn_cnd_wait(cnd_t *object, mtx_t *mutex) {
    WAIT_AGAIN(REAL(cnd_wait)(object, mutex), mtx_lock, mtx_unlock, mutex);
}
WAITS(cnd_wait, (cnd_t * object, mtx_t *mutex), (object, mutex), (void)0)

static int turn_cnd_timedwait(cnd_t *object, mtx_t *mutex, const struct timespec *moment) {
    WAIT_AGAIN(REAL(cnd_timedwait)(object, mutex, moment), mtx_lock, mtx_unlock, mutex);
}
WAITS(cnd_timedwait,
      (cnd_t *restrict object, mtx_t *restrict mutex, const struct timespec *restrict moment),
      (object, mutex, moment), READ(moment, sizeof *moment))
