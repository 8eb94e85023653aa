/* Whether the C library's locks and their like lie in memory as the runtime expects it. */
#include "../events/events.h"
#include "../port/port.h"
#include "../rt/lock_layout.h"
#include "conditions.h"
#include "real.h"

#include <gnu/libc-version.h>
#include <pthread.h>
#include <semaphore.h>

static int is_recent(void) {
    const char *version = gnu_get_libc_version();
    return version[0] == '2' && version[1] == '.' && version[2] >= '2' && version[2] <= '9' &&
           version[3] && !(version[2] == '2' && version[3] < '5');
}

static int knows_shared(void) {
    pthread_rwlock_t lock;
    REAL(pthread_rwlock_init)(&lock, NULL);
    REAL(pthread_rwlock_wrlock)(&lock);
    uint32_t phase = READERS_WRITE_PHASE | READERS_WRITER;
    int as_known =
        word(&lock, SHARED_WRITER) == os_thread() && word(&lock, SHARED_READERS) == phase;
    REAL(pthread_rwlock_unlock)(&lock);
    as_known &= !(word(&lock, SHARED_READERS) & READERS_WRITER);
    REAL(pthread_rwlock_rdlock)(&lock);
    as_known &= word(&lock, SHARED_READERS) >> READERS_SHIFT == 1 && !word(&lock, SHARED_WRITER);
    REAL(pthread_rwlock_unlock)(&lock);
    REAL(pthread_rwlock_destroy)(&lock);
    return as_known;
}

static int knows_conditions(void) {
    pthread_cond_t condition;
    REAL_OF(pthread_cond_init, CONDITIONS)(&condition, NULL);
    int as_known = !word(&condition, CONDITION_REFERENCES);
    REAL_OF(pthread_cond_destroy, CONDITIONS)(&condition);
    return as_known && word(&condition, CONDITION_REFERENCES) == REFERENCES_DESTROYED;
}

static int knows_semaphores(void) {
    sem_t semaphore;
    REAL(sem_init)(&semaphore, 0, 3);
    int as_known = wide(&semaphore, 0) == 3 && !word(&semaphore, SEMAPHORE_PRIVATE);
    REAL(sem_destroy)(&semaphore);
    return as_known;
}

static int knows_barriers(void) {
    pthread_barrier_t barrier;
    REAL(pthread_barrier_init)(&barrier, NULL, 7);
    int as_known = word(&barrier, BARRIER_COUNT) == 7 && !word(&barrier, BARRIER_IN) &&
                   !word(&barrier, BARRIER_ROUND);
    REAL(pthread_barrier_destroy)(&barrier);
    return as_known;
}

static int knows_mutexes(void) {
    pthread_mutex_t mutex;
    REAL(pthread_mutex_init)(&mutex, NULL);
    REAL(pthread_mutex_lock)(&mutex);
    int as_known = word(&mutex, MUTEX_LOCK) == 1 && word(&mutex, MUTEX_OWNER) == os_thread();
    REAL(pthread_mutex_unlock)(&mutex);
    as_known &= !word(&mutex, MUTEX_LOCK) && !word(&mutex, MUTEX_OWNER);
    REAL(pthread_mutex_destroy)(&mutex);
    return as_known && word(&mutex, MUTEX_KIND) == KIND_DESTROYED;
}

static int knows_spin_locks(void) {
    pthread_spinlock_t lock;
    REAL(pthread_spin_init)(&lock, PTHREAD_PROCESS_PRIVATE);
    uint32_t *at = (uint32_t *)(uintptr_t)&lock;
    int as_known = *at == SPIN_FREE;
    REAL(pthread_spin_lock)(&lock);
    as_known &= *at != SPIN_FREE;
    REAL(pthread_spin_unlock)(&lock);
    return as_known && *at == SPIN_FREE;
}

uint32_t port_known_locks(void) {
    uint32_t found = (uint32_t)knows_mutexes() << MEET_MUTEX;
    if (is_recent())
        found |= (uint32_t)knows_shared() << MEET_SHARED |
                 (uint32_t)knows_conditions() << MEET_CONDITION |
                 (uint32_t)knows_semaphores() << MEET_SEMAPHORE |
                 (uint32_t)knows_barriers() << MEET_BARRIER |
                 (uint32_t)knows_spin_locks() << MEET_SPIN;
    return found;
}
