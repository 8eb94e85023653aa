/* What happens once, in the thread that comes first: pthread_once, call_once, static variables. */
#include <stdarg.h>
#include "../rt/orders.h"
#include "../rt/races.h"
#include "../replace/cxx.h"
#include "meetings.h"

#include <pthread.h>
#include <threads.h>

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

/* What the calling thread calls, and for which object. A function called by it may do the same. */
static __thread void (*to_do)(void);
static __thread void *to_do_for;
static __thread int its_turn;

static void do_once(void) {
    void (*function)(void) = to_do;
    void *object = to_do_for;
    if (TURNS_TAKEN && TURNS_KEPT) turns_keep(WH_TURN_ONCE, 0);
    if (its_turn) turns_end();
    its_turn = 0;
    function();
    if (RACES_ON) races_release((uintptr_t)object);
}

WH_EXPORT int pthread_once(pthread_once_t *once, void (*function)(void)) {
    if (!TURNS_TAKEN && !RACES_ON) {
        uintptr_t before = orders_enter_once(FRAME_HERE);
        int result = REAL(pthread_once)(once, function);
        orders_leave_once(before);
        return result;
    }
    void (*outer)(void) = to_do;
    void *outer_for = to_do_for;
    to_do = function;
    to_do_for = once;
    its_turn = let_first((const void *)(uintptr_t)once, once_stage);
    uintptr_t before = orders_enter_once(FRAME_HERE);
    int result = REAL(pthread_once)(once, do_once);
    orders_leave_once(before);
    to_do = outer;
    to_do_for = outer_for;
    if (RACES_ON) races_acquire((uintptr_t)once);
    return result;
}

WRAP(int, pthread_once, (pthread_once_t * once, void (*function)(void))) {
    check_shared(SITE, once, sizeof *once);
    return pthread_once(once, function);
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

static int acquire(void *guard) {
    int (*next)(void *) = CXX_FUNCTION(int, __cxa_guard_acquire, (void *));
    if (!TURNS_TAKEN) {
        int is_first = next(guard);
        if (RACES_ON && !is_first) races_acquire((uintptr_t)guard);
        return is_first;
    }
    int turn = let_first(guard, guard_stage), first = next(guard);
    if (turn)
        turns_end();
    else if (first && TURNS_TAKEN && TURNS_KEPT)
        turns_keep(WH_TURN_ONCE, 0);
    if (RACES_ON && !first) races_acquire((uintptr_t)guard);
    return first;
}

/* The outermost one whose variable the thread gives its value. */
static __thread void *its_guard;

int __cxa_guard_acquire(void *guard);
WH_EXPORT int __cxa_guard_acquire(void *guard) {
    int first = acquire(guard);
    if (first && !its_guard && !orders_enter_once(FRAME_HERE)) its_guard = guard;
    return first;
}

static void leave_guard(const void *guard) {
    if (its_guard != guard) return;
    its_guard = NULL;
    orders_leave_once(0);
}

/* An exception leaves the variable without a value. */
void __cxa_guard_abort(void *guard);
WH_EXPORT void __cxa_guard_abort(void *guard) {
    leave_guard(guard);
    CXX_FUNCTION(void, __cxa_guard_abort, (void *))(guard);
}

void __cxa_guard_release(void *guard);
WH_EXPORT void __cxa_guard_release(void *guard) {
    void (*next)(void *) = CXX_FUNCTION(void, __cxa_guard_release, (void *));
    if (RACES_ON) races_release((uintptr_t)guard);
    leave_guard(guard);
    next(guard);
}
