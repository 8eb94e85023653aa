#include "lock_words.h"
#include "../os/mem.h"

#include <gnu/libc-version.h>
#include <pthread.h>
#include <semaphore.h>

static uint32_t word(const void *object, unsigned at) {
    return __atomic_load_n((const uint32_t *)((uintptr_t)object + at), __ATOMIC_RELAXED);
}

static uint64_t wide(const void *object, unsigned at) {
    return __atomic_load_n((const uint64_t *)((uintptr_t)object + at), __ATOMIC_RELAXED);
}

/* ---- mutexes ---- */

enum { MUTEX_LOCK = 0, MUTEX_OWNER = 8, MUTEX_KIND = 16 };
enum {
    KIND_TYPE = 3,
    KIND_RECURSIVE = 1,
    KIND_CHECKS = 2,
    KIND_SHARED = 128,
    KIND_NO_ELISION = 512
};
#define KIND_DESTROYED UINT32_MAX

/* Robust mutexes, those with other protocols and those whose owner is not noted, because a
 * transaction holds them, are left alone. */
static int is_simple(const void *mutex) {
    return !(word(mutex, MUTEX_KIND) & ~(uint32_t)(KIND_TYPE | KIND_SHARED | KIND_NO_ELISION));
}

/* ---- locks for reading and writing ---- */

enum { SHARED_READERS = 0, SHARED_WRITER = 24, SHARED_PROCESSES = 28, SHARED_MARK = 40 };
enum { READERS_WRITE_PHASE = 1, READERS_WRITER = 2, READERS_SHIFT = 3 };

/* ---- condition variables ---- */

enum { CONDITION_SEQUENCE = 0, CONDITION_FIRST = 8, CONDITION_SIZES = 24, CONDITION_BEFORE = 32 };
enum { CONDITION_REFERENCES = 36, REFERENCES_DESTROYED = 4 };

/* ---- semaphores, barriers, spin locks ---- */

enum { SEMAPHORE_PRIVATE = 8, SEMAPHORE_MARK = 16 };
enum {
    BARRIER_IN = 0,
    BARRIER_ROUND = 4,
    BARRIER_COUNT = 8,
    BARRIER_SHARED = 12,
    BARRIER_MARK = 24
};
enum { SPIN_FREE = 1 };

/* ---- which of them are known ---- */

static WH_WRITTEN uint32_t known; /* bit 1 << MEET_* */

static int is_known(unsigned kind) { return known >> kind & 1; }

static int is_recent(void) {
    const char *version = gnu_get_libc_version();
    return version[0] == '2' && version[1] == '.' && version[2] >= '2' && version[2] <= '9' &&
           version[3] && !(version[2] == '2' && version[3] < '5');
}

static int knows_shared(void) {
    pthread_rwlock_t lock;
    pthread_rwlock_init(&lock, NULL);
    pthread_rwlock_wrlock(&lock);
    uint32_t phase = READERS_WRITE_PHASE | READERS_WRITER;
    int as_known =
        word(&lock, SHARED_WRITER) == os_thread() && word(&lock, SHARED_READERS) == phase;
    pthread_rwlock_unlock(&lock);
    as_known &= !(word(&lock, SHARED_READERS) & READERS_WRITER);
    pthread_rwlock_rdlock(&lock);
    as_known &= word(&lock, SHARED_READERS) >> READERS_SHIFT == 1 && !word(&lock, SHARED_WRITER);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_destroy(&lock);
    return as_known;
}

static int knows_conditions(void) {
    pthread_cond_t condition;
    pthread_cond_init(&condition, NULL);
    int as_known = !word(&condition, CONDITION_REFERENCES);
    pthread_cond_destroy(&condition);
    return as_known && word(&condition, CONDITION_REFERENCES) == REFERENCES_DESTROYED;
}

static int knows_semaphores(void) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 3);
    int as_known = wide(&semaphore, 0) == 3 && !word(&semaphore, SEMAPHORE_PRIVATE);
    sem_destroy(&semaphore);
    return as_known;
}

static int knows_barriers(void) {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 7);
    int as_known = word(&barrier, BARRIER_COUNT) == 7 && !word(&barrier, BARRIER_IN) &&
                   !word(&barrier, BARRIER_ROUND);
    pthread_barrier_destroy(&barrier);
    return as_known;
}

static int knows_mutexes(void) {
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    int as_known = word(&mutex, MUTEX_LOCK) == 1 && word(&mutex, MUTEX_OWNER) == os_thread();
    pthread_mutex_unlock(&mutex);
    as_known &= !word(&mutex, MUTEX_LOCK) && !word(&mutex, MUTEX_OWNER);
    pthread_mutex_destroy(&mutex);
    return as_known && word(&mutex, MUTEX_KIND) == KIND_DESTROYED;
}

static int knows_spin_locks(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    uint32_t *at = (uint32_t *)(uintptr_t)&lock;
    int as_known = *at == SPIN_FREE;
    pthread_spin_lock(&lock);
    as_known &= *at != SPIN_FREE;
    pthread_spin_unlock(&lock);
    return as_known && *at == SPIN_FREE;
}

void lock_words_begin(void) {
    uint32_t found = (uint32_t)knows_mutexes() << MEET_MUTEX;
    if (is_recent())
        found |= (uint32_t)knows_shared() << MEET_SHARED |
                 (uint32_t)knows_conditions() << MEET_CONDITION |
                 (uint32_t)knows_semaphores() << MEET_SEMAPHORE |
                 (uint32_t)knows_barriers() << MEET_BARRIER |
                 (uint32_t)knows_spin_locks() << MEET_SPIN;
    known = found;
}

/* ---- what they say ---- */

static enum lock_state state_of_shared(const void *lock, uint32_t *holder) {
    uint32_t readers = word(lock, SHARED_READERS);
    if (!(readers & READERS_WRITER) && !(readers >> READERS_SHIFT)) return LOCK_FREE;
    uint32_t phase = READERS_WRITE_PHASE | READERS_WRITER;
    if ((readers & phase) == phase) *holder = word(lock, SHARED_WRITER);
    return LOCK_HELD;
}

enum lock_state lock_state(unsigned kind, const void *lock, uint32_t *holder) {
    *holder = 0;
    if (!is_known(kind)) return LOCK_UNKNOWN;
    switch (kind) {
    case MEET_MUTEX:
        if (!is_simple(lock)) return LOCK_UNKNOWN;
        if (!word(lock, MUTEX_LOCK)) return LOCK_FREE;
        *holder = word(lock, MUTEX_OWNER);
        return LOCK_HELD;
    case MEET_SHARED: return state_of_shared(lock, holder);
    case MEET_SPIN: return word(lock, 0) == SPIN_FREE ? LOCK_FREE : LOCK_HELD;
    default: return LOCK_UNKNOWN;
    }
}

int lock_is_plain(unsigned kind, const void *lock) {
    if (kind == MEET_SHARED) return !word(lock, SHARED_PROCESSES);
    if (kind != MEET_MUTEX) return 1;
    uint32_t bits = word(lock, MUTEX_KIND), type = bits & KIND_TYPE;
    return is_simple(lock) && !(bits & KIND_SHARED) && type != KIND_RECURSIVE &&
           type != KIND_CHECKS;
}

int lock_is_waited_with(const void *mutex) {
    uint32_t bits = word(mutex, MUTEX_KIND);
    return is_simple(mutex) && !(bits & KIND_SHARED) && (bits & KIND_TYPE) != KIND_CHECKS;
}

/* Waiters that no signal was for: those of both groups, of which the second has as many as came
 * since the first one was full. Those that gave up count negatively in it. */
static int is_condition_awaited(const void *condition) {
    uint64_t sequence = wide(condition, CONDITION_SEQUENCE);
    uint32_t first = (uint32_t)(wide(condition, CONDITION_FIRST) >> 1);
    uint32_t before = word(condition, CONDITION_BEFORE) >> 2;
    unsigned second = sequence & 1;
    uint32_t waiters = (uint32_t)(sequence >> 1) - first - before;
    waiters += word(condition, CONDITION_SIZES + 4 * second);
    return (int32_t)waiters > 0 || (int32_t)word(condition, CONDITION_SIZES + 4 * !second) > 0;
}

int lock_is_awaited(unsigned kind, const void *object) {
    if (!is_known(kind)) return 0;
    if (kind == MEET_CONDITION) return is_condition_awaited(object);
    if (kind == MEET_SEMAPHORE) {
        uint64_t data = wide(object, 0); /* the value, and above it how many wait */
        return !word(object, SEMAPHORE_PRIVATE) && !(uint32_t)data && data >> 32;
    }
    if (kind == MEET_BARRIER) {
        uint32_t in = word(object, BARRIER_IN) - word(object, BARRIER_ROUND);
        return !word(object, BARRIER_SHARED) && in && in < word(object, BARRIER_COUNT);
    }
    return 0;
}

/* ---- destroyed ones ---- */

#define MARK 0x9c6f1e5bd3a24d77ull

static unsigned mark_at(unsigned kind) {
    return kind == MEET_SHARED      ? SHARED_MARK
           : kind == MEET_SEMAPHORE ? SEMAPHORE_MARK
                                    : BARRIER_MARK;
}

static int is_marked(unsigned kind) {
    return is_known(kind) &&
           (kind == MEET_SHARED || kind == MEET_SEMAPHORE || kind == MEET_BARRIER);
}

static int is_of_processes(unsigned kind, const void *object) {
    unsigned at = kind == MEET_SHARED      ? SHARED_PROCESSES
                  : kind == MEET_SEMAPHORE ? SEMAPHORE_PRIVATE
                                           : BARRIER_SHARED;
    return word(object, at) != 0;
}

int lock_is_destroyed(unsigned kind, const void *object) {
    if (!is_known(kind)) return 0;
    if (kind == MEET_MUTEX) return word(object, MUTEX_KIND) == KIND_DESTROYED;
    if (kind == MEET_CONDITION)
        return (word(object, CONDITION_REFERENCES) & REFERENCES_DESTROYED) != 0;
    return is_marked(kind) && wide(object, mark_at(kind)) == MARK;
}

static void write_mark(unsigned kind, void *object, uint64_t mark) {
    __atomic_store_n((uint64_t *)((uintptr_t)object + mark_at(kind)), mark, __ATOMIC_RELAXED);
}

void lock_note_destroyed(unsigned kind, void *object) {
    if (is_marked(kind) && !is_of_processes(kind, object)) write_mark(kind, object, MARK);
}

void lock_note_initialised(unsigned kind, void *object) {
    if (is_marked(kind)) write_mark(kind, object, 0);
}
