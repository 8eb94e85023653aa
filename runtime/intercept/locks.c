/* pthread.h, threads.h: locks. All of them lie in the program's memory, often in objects that are
 * freed too early. */
#include <stdarg.h>
#include "meetings.h"

#include <pthread.h>
#include <threads.h>
#include <time.h>

MEETS_WITH(pthread_mutex_init, pthread_mutex_t, const pthread_mutexattr_t *, attributes, MEET_MUTEX,
           MEET_INIT, READ_IF(attributes, sizeof *attributes))
MEETS_AT_ONCE(pthread_mutex_destroy, pthread_mutex_t, MEET_MUTEX, MEET_DESTROY)
MEETS_AT_ONCE(pthread_mutex_unlock, pthread_mutex_t, MEET_MUTEX, MEET_UNLOCK)
LOCK(pthread_mutex_lock, pthread_mutex_t, MEET_MUTEX, 0)
TRY(pthread_mutex_trylock, pthread_mutex_t, pthread_mutex_lock, MEET_MUTEX, 0)
UNTIL(pthread_mutex_timedlock, pthread_mutex_t, pthread_mutex_lock, MEET_MUTEX, 0)
UNTIL_CLOCK(pthread_mutex_clocklock, pthread_mutex_t, pthread_mutex_lock, MEET_MUTEX, 0)

MEETS_WITH(pthread_rwlock_init, pthread_rwlock_t, const pthread_rwlockattr_t *, attributes,
           MEET_SHARED, MEET_INIT, READ_IF(attributes, sizeof *attributes))
MEETS_AT_ONCE(pthread_rwlock_destroy, pthread_rwlock_t, MEET_SHARED, MEET_DESTROY)
MEETS_AT_ONCE(pthread_rwlock_unlock, pthread_rwlock_t, MEET_SHARED, MEET_UNLOCK)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_t, MEET_SHARED, 1)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t, MEET_SHARED, 0)
TRY(pthread_rwlock_tryrdlock, pthread_rwlock_t, pthread_rwlock_rdlock, MEET_SHARED, 1)
TRY(pthread_rwlock_trywrlock, pthread_rwlock_t, pthread_rwlock_wrlock, MEET_SHARED, 0)
UNTIL(pthread_rwlock_timedrdlock, pthread_rwlock_t, pthread_rwlock_rdlock, MEET_SHARED, 1)
UNTIL(pthread_rwlock_timedwrlock, pthread_rwlock_t, pthread_rwlock_wrlock, MEET_SHARED, 0)
UNTIL_CLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t, pthread_rwlock_rdlock, MEET_SHARED, 1)
UNTIL_CLOCK(pthread_rwlock_clockwrlock, pthread_rwlock_t, pthread_rwlock_wrlock, MEET_SHARED, 0)

MEETS_WITH(pthread_spin_init, pthread_spinlock_t, int, shared, MEET_SPIN, MEET_INIT, (void)0)
MEETS_AT_ONCE(pthread_spin_destroy, pthread_spinlock_t, MEET_SPIN, MEET_DESTROY)
MEETS_AT_ONCE(pthread_spin_unlock, pthread_spinlock_t, MEET_SPIN, MEET_UNLOCK)
LOCK(pthread_spin_lock, pthread_spinlock_t, MEET_SPIN, 0)
TRY(pthread_spin_trylock, pthread_spinlock_t, pthread_spin_lock, MEET_SPIN, 0)

/* ---- threads.h, where thrd_success is 0, as that of pthread.h ---- */

MEETS_WITH(mtx_init, mtx_t, int, type, MEET_MUTEX, MEET_INIT, (void)0)
MEETS_AT_ONCE(mtx_unlock, mtx_t, MEET_MUTEX, MEET_UNLOCK)
LOCK(mtx_lock, mtx_t, MEET_MUTEX, 0)

static int turn_mtx_destroy(mtx_t *object) {
    REAL(mtx_destroy)(object);
    return 0;
}
MEETS_AS(void, (void)result, mtx_destroy, (mtx_t * object), (object), object, NULL, MEET_MUTEX,
         MEET_DESTROY, 0, WRITES_OBJECT)

TRY(mtx_trylock, mtx_t, mtx_lock, MEET_MUTEX, 0)
UNTIL(mtx_timedlock, mtx_t, mtx_lock, MEET_MUTEX, 0)
