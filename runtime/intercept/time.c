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

/* Members of a broken-down time that follow those which functions need. */
#define UP_TO(member) offsetof(struct tm, member)

#define BROKEN_DOWN(name)                                                                          \
    WRAP(struct tm *, name, (const time_t *moment)) {                                              \
        USE(moment, sizeof *moment);                                                               \
        return name(moment);                                                                       \
    }

#define BROKEN_DOWN_INTO(name)                                                                     \
    WRAP(struct tm *, name, (const time_t *moment, struct tm *result)) {                           \
        USE(moment, sizeof *moment);                                                               \
        WRITE(result, sizeof *result);                                                             \
        return name(moment, result);                                                               \
    }

BROKEN_DOWN(localtime)
BROKEN_DOWN(gmtime)
BROKEN_DOWN_INTO(localtime_r)
BROKEN_DOWN_INTO(gmtime_r)

WRAP(time_t, mktime, (struct tm * parts)) {
    WRITE(parts, sizeof *parts);
    check_used(SITE, parts, UP_TO(tm_wday));
    check_used(SITE, &parts->tm_isdst, sizeof parts->tm_isdst);
    return mktime(parts);
}

WRAP(time_t, timegm, (struct tm * parts)) {
    WRITE(parts, sizeof *parts);
    check_used(SITE, parts, UP_TO(tm_wday));
    return timegm(parts);
}

#define TEXT_MOST 26u /* asctime and ctime write so much */

WRAP(char *, asctime, (const struct tm *parts)) {
    READ_IF(parts, sizeof *parts);
    if (parts) check_used(SITE, parts, UP_TO(tm_yday));
    return asctime(parts);
}

WRAP(char *, asctime_r, (const struct tm *parts, char *to)) {
    READ_IF(parts, sizeof *parts);
    if (parts) WRITE(to, TEXT_MOST);
    if (parts) check_used(SITE, parts, UP_TO(tm_yday));
    return asctime_r(parts, to);
}

WRAP(char *, ctime, (const time_t *moment)) {
    USE(moment, sizeof *moment);
    return ctime(moment);
}

WRAP(char *, ctime_r, (const time_t *moment, char *to)) {
    USE(moment, sizeof *moment);
    WRITE(to, TEXT_MOST);
    return ctime_r(moment, to);
}

WRAP(size_t, strftime, (char *to, size_t size, const char *format, const struct tm *parts)) {
    USE_STRING(format);
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

WRAP(size_t, strftime_l,
     (char *to, size_t size, const char *format, const struct tm *parts, locale_t locale)) {
    USE_STRING(format);
    READ(parts, sizeof *parts);
    struct bounce bounce = bounce_begin(SITE, to, size);
    size_t length = strftime_l(bounce.buffer, size, format, parts, locale);
    bounce_end(SITE, &bounce, length ? length + 1 : 0);
    return length;
}

WRAP(char *, strptime_l,
     (const char *text, const char *format, struct tm *parts, locale_t locale)) {
    READ_STRING(text);
    READ_STRING(format);
    WRITE(parts, sizeof *parts);
    return strptime_l(text, format, parts, locale);
}

WRAP(struct tm *, getdate, (const char *text)) {
    READ_STRING(text);
    return getdate(text);
}

WRAP(int, getdate_r, (const char *text, struct tm *parts)) {
    READ_STRING(text);
    WRITE(parts, sizeof *parts);
    return getdate_r(text, parts);
}

WRAP(int, timespec_get, (struct timespec * moment, int base)) {
    WRITE(moment, sizeof *moment);
    return timespec_get(moment, base);
}

WRAP(int, settimeofday, (const struct timeval *moment, const struct timezone *zone)) {
    USE_IF(moment, sizeof *moment);
    READ_IF(zone, sizeof *zone);
    return settimeofday(moment, zone);
}

WRAP(int, clock_getcpuclockid, (pid_t process, clockid_t *clock)) {
    int error = clock_getcpuclockid(process, clock);
    if (!error) WROTE(clock, sizeof *clock);
    return error;
}
