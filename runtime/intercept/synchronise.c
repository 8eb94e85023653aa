/* pthread.h, threads.h, semaphore.h: objects that threads meet at. All of them lie in the program's
 * memory, often in objects that are freed too early. */
#include <stdarg.h>
#include "../events/events.h"
#include "check.h"

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#define ON(name, type)                                                                             \
    WRAP(int, name, (type * object)) {                                                             \
        WRITE(object, sizeof *object);                                                             \
        return name(object);                                                                       \
    }

#define INIT(name, type, attributes_type)                                                          \
    WRAP(int, name, (type * object, const attributes_type *attributes)) {                          \
        WRITE(object, sizeof *object);                                                             \
        READ_IF(attributes, sizeof *attributes);                                                   \
        return name(object, attributes);                                                           \
    }

#define UNTIL(name, type)                                                                          \
    WRAP(int, name, (type * object, const struct timespec *moment)) {                              \
        WRITE(object, sizeof *object);                                                             \
        USE(moment, sizeof *moment);                                                               \
        return name(object, moment);                                                               \
    }

/* In the C library from 2.30 on. */
#define UNTIL_CLOCK(name, type)                                                                    \
    int name(type *, clockid_t, const struct timespec *) __attribute__((weak));                    \
    WRAP(int, name, (type * object, clockid_t clock, const struct timespec *moment)) {             \
        WRITE(object, sizeof *object);                                                             \
        USE(moment, sizeof *moment);                                                               \
        return name(object, clock, moment);                                                        \
    }

INIT(pthread_mutex_init, pthread_mutex_t, pthread_mutexattr_t)
ON(pthread_mutex_destroy, pthread_mutex_t)
ON(pthread_mutex_lock, pthread_mutex_t)
ON(pthread_mutex_trylock, pthread_mutex_t)
ON(pthread_mutex_unlock, pthread_mutex_t)
UNTIL(pthread_mutex_timedlock, pthread_mutex_t)
UNTIL_CLOCK(pthread_mutex_clocklock, pthread_mutex_t)

INIT(pthread_rwlock_init, pthread_rwlock_t, pthread_rwlockattr_t)
ON(pthread_rwlock_destroy, pthread_rwlock_t)
ON(pthread_rwlock_rdlock, pthread_rwlock_t)
ON(pthread_rwlock_wrlock, pthread_rwlock_t)
ON(pthread_rwlock_tryrdlock, pthread_rwlock_t)
ON(pthread_rwlock_trywrlock, pthread_rwlock_t)
ON(pthread_rwlock_unlock, pthread_rwlock_t)
UNTIL(pthread_rwlock_timedrdlock, pthread_rwlock_t)
UNTIL(pthread_rwlock_timedwrlock, pthread_rwlock_t)
UNTIL_CLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t)
UNTIL_CLOCK(pthread_rwlock_clockwrlock, pthread_rwlock_t)

INIT(pthread_cond_init, pthread_cond_t, pthread_condattr_t)
ON(pthread_cond_destroy, pthread_cond_t)
ON(pthread_cond_signal, pthread_cond_t)
ON(pthread_cond_broadcast, pthread_cond_t)

WRAP(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex)) {
    WRITE(condition, sizeof *condition);
    WRITE(mutex, sizeof *mutex);
    return pthread_cond_wait(condition, mutex);
}

WRAP(int, pthread_cond_timedwait,
     (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *moment)) {
    WRITE(condition, sizeof *condition);
    WRITE(mutex, sizeof *mutex);
    USE(moment, sizeof *moment);
    return pthread_cond_timedwait(condition, mutex, moment);
}

int pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *)
    __attribute__((weak));
WRAP(int, pthread_cond_clockwait,
     (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
      const struct timespec *moment)) {
    WRITE(condition, sizeof *condition);
    WRITE(mutex, sizeof *mutex);
    USE(moment, sizeof *moment);
    return pthread_cond_clockwait(condition, mutex, clock, moment);
}

ON(pthread_barrier_wait, pthread_barrier_t)
ON(pthread_barrier_destroy, pthread_barrier_t)

WRAP(int, pthread_barrier_init,
     (pthread_barrier_t * barrier, const pthread_barrierattr_t *attributes, unsigned count)) {
    WRITE(barrier, sizeof *barrier);
    READ_IF(attributes, sizeof *attributes);
    return pthread_barrier_init(barrier, attributes, count);
}

WRAP(int, pthread_once, (pthread_once_t * once, void (*function)(void))) {
    WRITE(once, sizeof *once);
    return pthread_once(once, function);
}

/* The type is volatile, and the check does not look at the object itself. */
#define ON_SPIN(name)                                                                              \
    WRAP(int, name, (pthread_spinlock_t * object)) {                                               \
        WRITE((const void *)(uintptr_t)object, sizeof *object);                                    \
        return name(object);                                                                       \
    }

ON_SPIN(pthread_spin_destroy)
ON_SPIN(pthread_spin_lock)
ON_SPIN(pthread_spin_trylock)
ON_SPIN(pthread_spin_unlock)

WRAP(int, pthread_spin_init, (pthread_spinlock_t * object, int shared)) {
    WRITE((const void *)(uintptr_t)object, sizeof *object);
    return pthread_spin_init(object, shared);
}

WRAP(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*function)(void *),
      void *argument)) {
    WRITE(thread, sizeof *thread);
    READ_IF(attributes, sizeof *attributes);
    return pthread_create(thread, attributes, function, argument);
}

WRAP(void, pthread_exit, (void *result)) {
    announce_exits(result);
    pthread_exit(result);
}

WRAP(int, pthread_join, (pthread_t thread, void **result)) {
    WRITE_IF(result, sizeof *result);
    int error = pthread_join(thread, result);
    if (!error && result) announce_joined("pthread_join", thread, result);
    return error;
}

ON(sem_destroy, sem_t)
ON(sem_wait, sem_t)
ON(sem_trywait, sem_t)
ON(sem_post, sem_t)
UNTIL(sem_timedwait, sem_t)
UNTIL_CLOCK(sem_clockwait, sem_t)

WRAP(int, sem_init, (sem_t * semaphore, int shared, unsigned value)) {
    WRITE(semaphore, sizeof *semaphore);
    return sem_init(semaphore, shared, value);
}

WRAP(int, sem_getvalue, (sem_t * semaphore, int *value)) {
    READ(semaphore, sizeof *semaphore);
    WRITE(value, sizeof *value);
    return sem_getvalue(semaphore, value);
}

/* ---- threads.h ---- */

#define ENDED(name, type)                                                                          \
    WRAP(void, name, (type * object)) {                                                            \
        WRITE(object, sizeof *object);                                                             \
        name(object);                                                                              \
    }

ON(mtx_lock, mtx_t)
ON(mtx_trylock, mtx_t)
ON(mtx_unlock, mtx_t)
UNTIL(mtx_timedlock, mtx_t)
ENDED(mtx_destroy, mtx_t)

WRAP(int, mtx_init, (mtx_t * mutex, int type)) {
    WRITE(mutex, sizeof *mutex);
    return mtx_init(mutex, type);
}

ON(cnd_init, cnd_t)
ON(cnd_signal, cnd_t)
ON(cnd_broadcast, cnd_t)
ENDED(cnd_destroy, cnd_t)

WRAP(int, cnd_wait, (cnd_t * condition, mtx_t *mutex)) {
    WRITE(condition, sizeof *condition);
    WRITE(mutex, sizeof *mutex);
    return cnd_wait(condition, mutex);
}

WRAP(int, cnd_timedwait, (cnd_t * condition, mtx_t *mutex, const struct timespec *moment)) {
    WRITE(condition, sizeof *condition);
    WRITE(mutex, sizeof *mutex);
    READ(moment, sizeof *moment);
    return cnd_timedwait(condition, mutex, moment);
}

WRAP(int, thrd_create, (thrd_t * thread, thrd_start_t function, void *argument)) {
    WRITE(thread, sizeof *thread);
    return thrd_create(thread, function, argument);
}
