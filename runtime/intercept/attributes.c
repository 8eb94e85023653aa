/* pthread.h, spawn.h, sched.h: attributes, names and scheduling of threads and programs. */
#include <stdarg.h>
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <string.h>
#include <threads.h>

/* ---- attributes ---- */

#define BEGIN(name, type)                                                                          \
    WRAP(int, name, (type * object)) {                                                             \
        WRITE(object, sizeof *object);                                                             \
        return name(object);                                                                       \
    }

#define GET(name, type, value_type)                                                                \
    WRAP(int, name, (const type *object, value_type *value)) {                                     \
        READ(object, sizeof *object);                                                              \
        WRITE(value, sizeof *value);                                                               \
        return name(object, value);                                                                \
    }

#define SET(name, type, value_type)                                                                \
    WRAP(int, name, (type * object, value_type value)) {                                           \
        WRITE(object, sizeof *object);                                                             \
        return name(object, value);                                                                \
    }

/* The new value lies in memory. */
#define SET_FROM(name, type, value_type)                                                           \
    WRAP(int, name, (type * object, const value_type *value)) {                                    \
        WRITE(object, sizeof *object);                                                             \
        READ(value, sizeof *value);                                                                \
        return name(object, value);                                                                \
    }

#define GET_AND_SET(get, set, type, value_type)                                                    \
    GET(get, type, value_type)                                                                     \
    SET(set, type, value_type)

BEGIN(pthread_attr_init, pthread_attr_t)
BEGIN(pthread_attr_destroy, pthread_attr_t)
GET_AND_SET(pthread_attr_getdetachstate, pthread_attr_setdetachstate, pthread_attr_t, int)
GET_AND_SET(pthread_attr_getguardsize, pthread_attr_setguardsize, pthread_attr_t, size_t)
GET_AND_SET(pthread_attr_getinheritsched, pthread_attr_setinheritsched, pthread_attr_t, int)
GET_AND_SET(pthread_attr_getschedpolicy, pthread_attr_setschedpolicy, pthread_attr_t, int)
GET_AND_SET(pthread_attr_getscope, pthread_attr_setscope, pthread_attr_t, int)
GET_AND_SET(pthread_attr_getstacksize, pthread_attr_setstacksize, pthread_attr_t, size_t)
GET(pthread_attr_getschedparam, pthread_attr_t, struct sched_param)
SET_FROM(pthread_attr_setschedparam, pthread_attr_t, struct sched_param)

WRAP(int, pthread_attr_getstack, (const pthread_attr_t *object, void **stack, size_t *size)) {
    READ(object, sizeof *object);
    WRITE(stack, sizeof *stack);
    WRITE(size, sizeof *size);
    return pthread_attr_getstack(object, stack, size);
}

WRAP(int, pthread_attr_setstack, (pthread_attr_t * object, void *stack, size_t size)) {
    WRITE(object, sizeof *object);
    return pthread_attr_setstack(object, stack, size);
}

WRAP(int, pthread_getattr_np, (pthread_t thread, pthread_attr_t *object)) {
    WRITE(object, sizeof *object);
    return pthread_getattr_np(thread, object);
}

BEGIN(pthread_mutexattr_init, pthread_mutexattr_t)
BEGIN(pthread_mutexattr_destroy, pthread_mutexattr_t)
GET_AND_SET(pthread_mutexattr_gettype, pthread_mutexattr_settype, pthread_mutexattr_t, int)
GET_AND_SET(pthread_mutexattr_getpshared, pthread_mutexattr_setpshared, pthread_mutexattr_t, int)
GET_AND_SET(pthread_mutexattr_getprotocol, pthread_mutexattr_setprotocol, pthread_mutexattr_t, int)
GET_AND_SET(pthread_mutexattr_getprioceiling, pthread_mutexattr_setprioceiling, pthread_mutexattr_t,
            int)
GET_AND_SET(pthread_mutexattr_getrobust, pthread_mutexattr_setrobust, pthread_mutexattr_t, int)

BEGIN(pthread_condattr_init, pthread_condattr_t)
BEGIN(pthread_condattr_destroy, pthread_condattr_t)
GET_AND_SET(pthread_condattr_getclock, pthread_condattr_setclock, pthread_condattr_t, clockid_t)
GET_AND_SET(pthread_condattr_getpshared, pthread_condattr_setpshared, pthread_condattr_t, int)

BEGIN(pthread_rwlockattr_init, pthread_rwlockattr_t)
BEGIN(pthread_rwlockattr_destroy, pthread_rwlockattr_t)
GET_AND_SET(pthread_rwlockattr_getkind_np, pthread_rwlockattr_setkind_np, pthread_rwlockattr_t, int)
GET_AND_SET(pthread_rwlockattr_getpshared, pthread_rwlockattr_setpshared, pthread_rwlockattr_t, int)

BEGIN(pthread_barrierattr_init, pthread_barrierattr_t)
BEGIN(pthread_barrierattr_destroy, pthread_barrierattr_t)
GET_AND_SET(pthread_barrierattr_getpshared, pthread_barrierattr_setpshared, pthread_barrierattr_t,
            int)

GET(posix_spawnattr_getschedparam, posix_spawnattr_t, struct sched_param)
SET_FROM(posix_spawnattr_setschedparam, posix_spawnattr_t, struct sched_param)
GET_AND_SET(posix_spawnattr_getschedpolicy, posix_spawnattr_setschedpolicy, posix_spawnattr_t, int)
BEGIN(posix_spawnattr_init, posix_spawnattr_t)
BEGIN(posix_spawnattr_destroy, posix_spawnattr_t)
GET_AND_SET(posix_spawnattr_getflags, posix_spawnattr_setflags, posix_spawnattr_t, short)
GET_AND_SET(posix_spawnattr_getpgroup, posix_spawnattr_setpgroup, posix_spawnattr_t, pid_t)
GET(posix_spawnattr_getsigmask, posix_spawnattr_t, sigset_t)
SET_FROM(posix_spawnattr_setsigmask, posix_spawnattr_t, sigset_t)
GET(posix_spawnattr_getsigdefault, posix_spawnattr_t, sigset_t)
SET_FROM(posix_spawnattr_setsigdefault, posix_spawnattr_t, sigset_t)

BEGIN(posix_spawn_file_actions_init, posix_spawn_file_actions_t)
BEGIN(posix_spawn_file_actions_destroy, posix_spawn_file_actions_t)
SET(posix_spawn_file_actions_addclose, posix_spawn_file_actions_t, int)

WRAP(int, posix_spawn_file_actions_adddup2,
     (posix_spawn_file_actions_t * object, int from, int to)) {
    WRITE(object, sizeof *object);
    return posix_spawn_file_actions_adddup2(object, from, to);
}

WRAP(int, posix_spawn_file_actions_addopen,
     (posix_spawn_file_actions_t * object, int to, const char *path, int flags, mode_t mode)) {
    WRITE(object, sizeof *object);
    USE_STRING(path);
    return posix_spawn_file_actions_addopen(object, to, path, flags, mode);
}

/* From 2.29 on. */
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *)
    __attribute__((weak));
int posix_spawn_file_actions_addfchdir_np(posix_spawn_file_actions_t *, int) __attribute__((weak));
SET(posix_spawn_file_actions_addfchdir_np, posix_spawn_file_actions_t, int)

WRAP(int, posix_spawn_file_actions_addchdir_np,
     (posix_spawn_file_actions_t * object, const char *path)) {
    WRITE(object, sizeof *object);
    USE_STRING(path);
    return posix_spawn_file_actions_addchdir_np(object, path);
}

/* ---- what a thread is ---- */

WRAP(int, pthread_getname_np, (pthread_t thread, char *to, size_t size)) {
    struct bounce bounce = bounce_begin(SITE, to, size);
    int error = pthread_getname_np(thread, bounce.buffer, size);
    bounce_end(SITE, &bounce, error ? 0 : strlen(bounce.buffer) + 1);
    return error;
}

WRAP(int, pthread_setname_np, (pthread_t thread, const char *name)) {
    USE_STRING(name);
    return pthread_setname_np(thread, name);
}

WRAP(int, pthread_getschedparam, (pthread_t thread, int *policy, struct sched_param *parameters)) {
    WRITE(policy, sizeof *policy);
    WRITE(parameters, sizeof *parameters);
    return pthread_getschedparam(thread, policy, parameters);
}

WRAP(int, pthread_setschedparam,
     (pthread_t thread, int policy, const struct sched_param *parameters)) {
    USE(parameters, sizeof *parameters);
    return pthread_setschedparam(thread, policy, parameters);
}

WRAP(int, pthread_getaffinity_np, (pthread_t thread, size_t size, cpu_set_t *set)) {
    WRITE(set, size);
    return pthread_getaffinity_np(thread, size, set);
}

WRAP(int, pthread_setaffinity_np, (pthread_t thread, size_t size, const cpu_set_t *set)) {
    USE(set, size);
    return pthread_setaffinity_np(thread, size, set);
}

WRAP(int, pthread_attr_getaffinity_np,
     (const pthread_attr_t *object, size_t size, cpu_set_t *set)) {
    READ(object, sizeof *object);
    WRITE(set, size);
    return pthread_attr_getaffinity_np(object, size, set);
}

WRAP(int, pthread_attr_setaffinity_np,
     (pthread_attr_t * object, size_t size, const cpu_set_t *set)) {
    WRITE(object, sizeof *object);
    USE(set, size);
    return pthread_attr_setaffinity_np(object, size, set);
}

WRAP(int, pthread_mutex_getprioceiling, (const pthread_mutex_t *mutex, int *ceiling)) {
    READ(mutex, sizeof *mutex);
    WRITE(ceiling, sizeof *ceiling);
    return pthread_mutex_getprioceiling(mutex, ceiling);
}

WRAP(int, pthread_mutex_setprioceiling, (pthread_mutex_t * mutex, int ceiling, int *old)) {
    WRITE(mutex, sizeof *mutex);
    WRITE_IF(old, sizeof *old);
    return pthread_mutex_setprioceiling(mutex, ceiling, old);
}

BEGIN(pthread_mutex_consistent, pthread_mutex_t)

WRAP(int, pthread_getcpuclockid, (pthread_t thread, clockid_t *clock)) {
    WRITE(clock, sizeof *clock);
    return pthread_getcpuclockid(thread, clock);
}

WRAP(int, pthread_key_create, (pthread_key_t * key, void (*destroy)(void *))) {
    WRITE(key, sizeof *key);
    return pthread_key_create(key, destroy);
}

#define CANCELLATION(name)                                                                         \
    WRAP(int, name, (int new, int *old)) {                                                         \
        WRITE_IF(old, sizeof *old);                                                                \
        return name(new, old);                                                                     \
    }

CANCELLATION(pthread_setcancelstate)
CANCELLATION(pthread_setcanceltype)

WRAP(int, pthread_tryjoin_np, (pthread_t thread, void **result)) {
    int error = pthread_tryjoin_np(thread, result);
    if (!error) WROTE_IF(result, sizeof *result);
    return error;
}

WRAP(int, pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *moment)) {
    READ_IF(moment, sizeof *moment);
    int error = pthread_timedjoin_np(thread, result, moment);
    if (!error) WROTE_IF(result, sizeof *result);
    return error;
}

/* From 2.31 on. */
int pthread_clockjoin_np(pthread_t, void **, clockid_t, const struct timespec *)
    __attribute__((weak));
WRAP(int, pthread_clockjoin_np,
     (pthread_t thread, void **result, clockid_t clock, const struct timespec *moment)) {
    READ_IF(moment, sizeof *moment);
    int error = pthread_clockjoin_np(thread, result, clock, moment);
    if (!error) WROTE_IF(result, sizeof *result);
    return error;
}

WRAP(int, thrd_join, (thrd_t thread, int *result)) {
    WRITE_IF(result, sizeof *result);
    return thrd_join(thread, result);
}
