/* time.h and sys/time.h: clocks and timers. */
#include <stdarg.h>
#include "../check.h"

#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>

WRAP(int, gettimeofday, (struct timeval * now, void *zone)) {
    WRITE_IF(now, sizeof *now);
    return NEXT(gettimeofday)(now, zone);
}

WRAP(int, clock_gettime, (clockid_t clock, struct timespec *now)) {
    WRITE(now, sizeof *now);
    return NEXT(clock_gettime)(clock, now);
}

WRAP(int, clock_getres, (clockid_t clock, struct timespec *step)) {
    WRITE_IF(step, sizeof *step);
    return NEXT(clock_getres)(clock, step);
}

WRAP(int, nanosleep, (const struct timespec *wait, struct timespec *rest)) {
    USE(wait, sizeof *wait);
    WRITE_IF(rest, sizeof *rest);
    return NEXT(nanosleep)(wait, rest);
}

WRAP(int, clock_settime, (clockid_t clock, const struct timespec *now)) {
    USE(now, sizeof *now);
    return NEXT(clock_settime)(clock, now);
}

WRAP(int, clock_nanosleep,
     (clockid_t clock, int flags, const struct timespec *wait, struct timespec *rest)) {
    USE(wait, sizeof *wait);
    WRITE_IF(rest, sizeof *rest);
    return NEXT(clock_nanosleep)(clock, flags, wait, rest);
}

/* From 2.34 on. */
int timespec_getres(struct timespec *, int) __attribute__((weak));
WRAP(int, timespec_getres, (struct timespec * step, int base)) {
    WRITE_IF(step, sizeof *step);
    return NEXT(timespec_getres)(step, base);
}

WRAP(int, adjtime, (const struct timeval *step, struct timeval *rest)) {
    USE_IF(step, sizeof *step);
    WRITE_IF(rest, sizeof *rest);
    return NEXT(adjtime)(step, rest);
}

/* What there is to set, the modes say. */
static void check_tuning(struct site site, struct timex *tuning) {
    check_range(site, tuning, sizeof *tuning, 1, tuning);
    if (is_there(tuning, sizeof *tuning)) check_used(site, &tuning->modes, sizeof tuning->modes);
}

#define TUNE(name)                                                                                 \
    WRAP(int, name, (struct timex * tuning)) {                                                     \
        check_tuning(SITE, tuning);                                                                \
        int result = NEXT(name)(tuning);                                                           \
        if (result >= 0) WROTE(tuning, sizeof *tuning);                                            \
        return result;                                                                             \
    }

TUNE(adjtimex)
TUNE(ntp_adjtime)

WRAP(int, clock_adjtime, (clockid_t clock, struct timex *tuning)) {
    check_tuning(SITE, tuning);
    int result = NEXT(clock_adjtime)(clock, tuning);
    if (result >= 0) WROTE(tuning, sizeof *tuning);
    return result;
}

WRAP(int, ntp_gettimex, (struct ntptimeval * now)) {
    WRITE(now, sizeof *now);
    return NEXT(ntp_gettimex)(now);
}

WRAP(int, getitimer, (__itimer_which_t which, struct itimerval *now)) {
    WRITE(now, sizeof *now);
    return NEXT(getitimer)(which, now);
}

WRAP(int, setitimer,
     (__itimer_which_t which, const struct itimerval *next, struct itimerval *old)) {
    USE_IF(next, sizeof *next);
    WRITE_IF(old, sizeof *old);
    return NEXT(setitimer)(which, next, old);
}

/* In a library of their own before 2.34. */
int timer_create(clockid_t, struct sigevent *, timer_t *) __attribute__((weak));
int timer_settime(timer_t, int, const struct itimerspec *, struct itimerspec *)
    __attribute__((weak));
int timer_gettime(timer_t, struct itimerspec *) __attribute__((weak));

WRAP(int, timer_create, (clockid_t clock, struct sigevent *event, timer_t *timer)) {
    READ_IF(event, sizeof *event);
    if (event) check_used(SITE, &event->sigev_notify, sizeof event->sigev_notify);
    WRITE(timer, sizeof *timer);
    return NEXT(timer_create)(clock, event, timer);
}

WRAP(int, timer_settime,
     (timer_t timer, int flags, const struct itimerspec *next, struct itimerspec *old)) {
    USE(next, sizeof *next);
    WRITE_IF(old, sizeof *old);
    return NEXT(timer_settime)(timer, flags, next, old);
}

WRAP(int, timer_gettime, (timer_t timer, struct itimerspec *now)) {
    WRITE(now, sizeof *now);
    return NEXT(timer_gettime)(timer, now);
}

WRAP(int, timerfd_settime,
     (int timer, int flags, const struct itimerspec *next, struct itimerspec *old)) {
    USE(next, sizeof *next);
    WRITE_IF(old, sizeof *old);
    return (int)USED(timer, NEXT(timerfd_settime)(timer, flags, next, old));
}

WRAP(int, timerfd_gettime, (int timer, struct itimerspec *now)) {
    WRITE(now, sizeof *now);
    return (int)USED(timer, NEXT(timerfd_gettime)(timer, now));
}
