/* The words of the C library's locks and their like: offsets, and what stands there. */
#ifndef WHENCE_RT_LOCK_LAYOUT_H
#define WHENCE_RT_LOCK_LAYOUT_H

#include <stdint.h>

static inline uint32_t word(const void *object, unsigned at) {
    return __atomic_load_n((const uint32_t *)((uintptr_t)object + at), __ATOMIC_RELAXED);
}

static inline uint64_t wide(const void *object, unsigned at) {
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

#endif
