/* time.h and sys/time.h. */
#include <stdarg.h>
#include "check.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

WRAP(time_t, time, (time_t *result)) {
    WRITE_IF(result, sizeof *result);
    return time(result);
}

#define BROKEN_DOWN(name)                                                                          \
    WRAP(struct tm *, name, (const time_t *moment)) {                                              \
        READ(moment, sizeof *moment);                                                              \
        return name(moment);                                                                       \
    }

#define BROKEN_DOWN_INTO(name)                                                                     \
    WRAP(struct tm *, name, (const time_t *moment, struct tm *result)) {                           \
        READ(moment, sizeof *moment);                                                              \
        WRITE(result, sizeof *result);                                                             \
        return name(moment, result);                                                               \
    }

BROKEN_DOWN(localtime)
BROKEN_DOWN(gmtime)
BROKEN_DOWN_INTO(localtime_r)
BROKEN_DOWN_INTO(gmtime_r)

#define MOMENT_OF(name)                                                                            \
    WRAP(time_t, name, (struct tm * parts)) {                                                      \
        WRITE(parts, sizeof *parts);                                                               \
        return name(parts);                                                                        \
    }

MOMENT_OF(mktime)
MOMENT_OF(timegm)

#define TEXT_MOST 26u /* asctime and ctime write so much */

WRAP(char *, asctime, (const struct tm *parts)) {
    READ_IF(parts, sizeof *parts);
    return asctime(parts);
}

WRAP(char *, asctime_r, (const struct tm *parts, char *to)) {
    READ_IF(parts, sizeof *parts);
    if (parts) WRITE(to, TEXT_MOST);
    return asctime_r(parts, to);
}

WRAP(char *, ctime, (const time_t *moment)) {
    READ(moment, sizeof *moment);
    return ctime(moment);
}

WRAP(char *, ctime_r, (const time_t *moment, char *to)) {
    READ(moment, sizeof *moment);
    WRITE(to, TEXT_MOST);
    return ctime_r(moment, to);
}

WRAP(size_t, strftime, (char *to, size_t size, const char *format, const struct tm *parts)) {
    READ_STRING(format);
    READ(parts, sizeof *parts);
    struct bounce bounce = bounce_begin(SITE, to, size);
    size_t length = strftime(bounce.buffer, size, format, parts);
    bounce_end(SITE, &bounce, length ? length + 1 : 0);
    return length;
}

WRAP(char *, strptime, (const char *text, const char *format, struct tm *parts)) {
    READ_STRING(text);
    READ_STRING(format);
    WRITE(parts, sizeof *parts);
    return strptime(text, format, parts);
}

WRAP(int, gettimeofday, (struct timeval * now, void *zone)) {
    WRITE_IF(now, sizeof *now);
    return gettimeofday(now, zone);
}

WRAP(int, clock_gettime, (clockid_t clock, struct timespec *now)) {
    WRITE(now, sizeof *now);
    return clock_gettime(clock, now);
}

WRAP(int, clock_getres, (clockid_t clock, struct timespec *step)) {
    WRITE_IF(step, sizeof *step);
    return clock_getres(clock, step);
}

WRAP(int, nanosleep, (const struct timespec *wait, struct timespec *rest)) {
    READ(wait, sizeof *wait);
    WRITE_IF(rest, sizeof *rest);
    return nanosleep(wait, rest);
}

WRAP(int, clock_settime, (clockid_t clock, const struct timespec *now)) {
    READ(now, sizeof *now);
    return clock_settime(clock, now);
}

WRAP(int, clock_nanosleep,
     (clockid_t clock, int flags, const struct timespec *wait, struct timespec *rest)) {
    READ(wait, sizeof *wait);
    WRITE_IF(rest, sizeof *rest);
    return clock_nanosleep(clock, flags, wait, rest);
}

WRAP(int, getitimer, (__itimer_which_t which, struct itimerval *now)) {
    WRITE(now, sizeof *now);
    return getitimer(which, now);
}

WRAP(int, setitimer,
     (__itimer_which_t which, const struct itimerval *next, struct itimerval *old)) {
    READ_IF(next, sizeof *next);
    WRITE_IF(old, sizeof *old);
    return setitimer(which, next, old);
}

/* In a library of their own before 2.34. */
int timer_create(clockid_t, struct sigevent *, timer_t *) __attribute__((weak));
int timer_settime(timer_t, int, const struct itimerspec *, struct itimerspec *)
    __attribute__((weak));
int timer_gettime(timer_t, struct itimerspec *) __attribute__((weak));

WRAP(int, timer_create, (clockid_t clock, struct sigevent *event, timer_t *timer)) {
    READ_IF(event, sizeof *event);
    WRITE(timer, sizeof *timer);
    return timer_create(clock, event, timer);
}

WRAP(int, timer_settime,
     (timer_t timer, int flags, const struct itimerspec *next, struct itimerspec *old)) {
    READ(next, sizeof *next);
    WRITE_IF(old, sizeof *old);
    return timer_settime(timer, flags, next, old);
}

WRAP(int, timer_gettime, (timer_t timer, struct itimerspec *now)) {
    WRITE(now, sizeof *now);
    return timer_gettime(timer, now);
}
