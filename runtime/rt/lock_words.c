#include "lock_words.h"
#include "lock_layout.h"
#include "../os/mem.h"
#include "../port/port.h"

/* Robust mutexes, those with other protocols and those whose owner is not noted, because a
 * transaction holds them, are left alone. */
static int is_simple(const void *mutex) {
    return !(word(mutex, MUTEX_KIND) & ~(uint32_t)(KIND_TYPE | KIND_SHARED | KIND_NO_ELISION));
}

/* ---- which of them are known ---- */

static WH_WRITTEN uint32_t known; /* bit 1 << MEET_* */

static int is_known(unsigned kind) { return known >> kind & 1; }

void lock_words_begin(void) { known = port_known_locks(); }

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
