/* pthread.h, threads.h: threads that are made, joined and detached. */
#include <stdarg.h>
#include "meetings.h"

#include <pthread.h>
#include <threads.h>
#include <time.h>

WRAP(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*function)(void *),
      void *argument)) {
    WRITE(thread, sizeof *thread);
    READ_IF(attributes, sizeof *attributes);
    return pthread_create(thread, attributes, function, argument);
}

WRAP(int, thrd_create, (thrd_t * thread, thrd_start_t function, void *argument)) {
    WRITE(thread, sizeof *thread);
    return thrd_create(thread, function, argument);
}

WRAP(void, pthread_exit, (void *result)) {
    announce_exits(result);
    pthread_exit(result);
}

/* ---- joining and detaching ---- */

/* What pthread_cleanup_push was in older programs: the macro of now needs the compiler's library.
 */
void _pthread_cleanup_push(struct _pthread_cleanup_buffer *, void (*)(void *), void *);
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *, int);

static void give_up(void *parting) { announce_parted(parting, -1); }

#define PARTS(of, does, gives_up, result)                                                          \
    do {                                                                                           \
        struct thread_parting parting = {.thread = (uint64_t)(of),                                 \
                                         .function = __func__,                                     \
                                         .frame = FRAME_HERE,                                      \
                                         .detaches = (does),                                       \
                                         .tries = (gives_up)};                                     \
        struct _pthread_cleanup_buffer buffer;                                                     \
        announce_parts(&parting);                                                                  \
        _pthread_cleanup_push(&buffer, give_up, &parting);                                         \
        int error = (result);                                                                      \
        _pthread_cleanup_pop(&buffer, 0);                                                          \
        announce_parted(&parting, error);                                                          \
        return error;                                                                              \
    } while (0)

WH_EXPORT int pthread_join(pthread_t thread, void **result) {
    PARTS(thread, 0, 0, REAL(pthread_join)(thread, result));
}

WRAP(int, pthread_join, (pthread_t thread, void **result)) {
    WRITE_IF(result, sizeof *result);
    int error = pthread_join(thread, result);
    if (!error && result) announce_joined("pthread_join", thread, result);
    return error;
}

WH_EXPORT int pthread_detach(pthread_t thread) {
    PARTS(thread, 1, 0, REAL(pthread_detach)(thread));
}

static int try_join(pthread_t thread, void **result) {
    IN_TURN(WH_TURN_TRY, REAL(pthread_tryjoin_np)(thread, result),
            before ? (int)before : REAL(pthread_join)(thread, result));
}
WH_EXPORT int pthread_tryjoin_np(pthread_t thread, void **result) {
    PARTS(thread, 0, 1, try_join(thread, result));
}

static int join_until(pthread_t thread, void **result, const struct timespec *moment) {
    IN_TURN(WH_TURN_TRY, REAL(pthread_timedjoin_np)(thread, result, moment),
            before ? (int)before : REAL(pthread_join)(thread, result));
}
WH_EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *moment) {
    PARTS(thread, 0, 1, join_until(thread, result, moment));
}

/* From 2.31 on. */
int pthread_clockjoin_np(pthread_t, void **, clockid_t, const struct timespec *);
static int join_until_clock(pthread_t thread, void **result, clockid_t clock,
                            const struct timespec *moment) {
    IN_TURN(WH_TURN_TRY, REAL(pthread_clockjoin_np)(thread, result, clock, moment),
            before ? (int)before : REAL(pthread_join)(thread, result));
}
WH_EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                                   const struct timespec *moment) {
    PARTS(thread, 0, 1, join_until_clock(thread, result, clock, moment));
}

/* thrd_success is 0. */
WH_EXPORT int thrd_join(thrd_t thread, int *result) {
    PARTS(thread, 0, 0, REAL(thrd_join)(thread, result));
}

WH_EXPORT int thrd_detach(thrd_t thread) { PARTS(thread, 1, 0, REAL(thrd_detach)(thread)); }
