/* sys/wait.h, signal.h, sys/resource.h, sys/select.h, sys/epoll.h, sys/random.h, sched.h,
 * sys/utsname.h, termios.h, sys/xattr.h, math.h: what the system reads and writes. */
#include <stdarg.h>
#include "check.h"

#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

/* ---- an answer of fixed size ---- */

#define ANSWER(type, name, answer_type)                                                            \
    WRAP(type, name, (answer_type * answer)) {                                                     \
        WRITE(answer, sizeof *answer);                                                             \
        return name(answer);                                                                       \
    }

#define ANSWER_IF(type, name, answer_type)                                                         \
    WRAP(type, name, (answer_type * answer)) {                                                     \
        WRITE_IF(answer, sizeof *answer);                                                          \
        return name(answer);                                                                       \
    }

#define ANSWER_TO(name, key_type, answer_type)                                                     \
    WRAP(int, name, (key_type key, answer_type * answer)) {                                        \
        WRITE(answer, sizeof *answer);                                                             \
        return name(key, answer);                                                                  \
    }

#define TELL(name, key_type, value_type)                                                           \
    WRAP(int, name, (key_type key, const value_type *value)) {                                     \
        READ(value, sizeof *value);                                                                \
        return name(key, value);                                                                   \
    }

ANSWER(int, uname, struct utsname)
ANSWER(int, sysinfo, struct sysinfo)
ANSWER_TO(getrusage, __rusage_who_t, struct rusage)
ANSWER_TO(getrlimit, __rlimit_resource_t, struct rlimit)
ANSWER_TO(getrlimit64, __rlimit_resource_t, struct rlimit64)
TELL(setrlimit, __rlimit_resource_t, struct rlimit)
TELL(setrlimit64, __rlimit_resource_t, struct rlimit64)
ANSWER_TO(tcgetattr, int, struct termios)

WRAP(int, tcsetattr, (int file, int when, const struct termios *settings)) {
    READ(settings, sizeof *settings);
    return tcsetattr(file, when, settings);
}

WRAP(int, getloadavg, (double *to, int count)) {
    int stored = getloadavg(to, count);
    if (stored > 0) WRITE(to, times((size_t)stored, sizeof *to));
    return stored;
}

WRAP(int, getgroups, (int count, gid_t *to)) {
    struct bounce bounce = bounce_begin(SITE, to, count > 0 ? times((size_t)count, sizeof *to) : 0);
    int stored = getgroups(count, bounce.buffer);
    bounce_end(SITE, &bounce, stored > 0 ? times((size_t)stored, sizeof *to) : 0);
    return stored;
}

/* sys/times.h, whose function has the name of our product. */
clock_t library_times(clock_t answer[4]) __asm__("times");
WRAP(clock_t, times, (clock_t answer[4])) {
    WRITE_IF(answer, 4 * sizeof *answer);
    return library_times(answer);
}

/* ---- processes ---- */

ANSWER_IF(pid_t, wait, int)

WRAP(pid_t, waitpid, (pid_t child, int *status, int options)) {
    WRITE_IF(status, sizeof *status);
    return waitpid(child, status, options);
}

WRAP(pid_t, wait3, (int *status, int options, struct rusage *usage)) {
    WRITE_IF(status, sizeof *status);
    WRITE_IF(usage, sizeof *usage);
    return wait3(status, options, usage);
}

WRAP(pid_t, wait4, (pid_t child, int *status, int options, struct rusage *usage)) {
    WRITE_IF(status, sizeof *status);
    WRITE_IF(usage, sizeof *usage);
    return wait4(child, status, options, usage);
}

WRAP(int, waitid, (idtype_t kind, id_t id, siginfo_t *info, int options)) {
    WRITE_IF(info, sizeof *info);
    return waitid(kind, id, info, options);
}

#define PROCESSORS(name, key_type)                                                                 \
    WRAP(int, sched_get##name, (key_type key, size_t size, cpu_set_t *set)) {                      \
        WRITE(set, size);                                                                          \
        return sched_get##name(key, size, set);                                                    \
    }                                                                                              \
    WRAP(int, sched_set##name, (key_type key, size_t size, const cpu_set_t *set)) {                \
        READ(set, size);                                                                           \
        return sched_set##name(key, size, set);                                                    \
    }

PROCESSORS(affinity, pid_t)

/* ---- signals; of a set, the words that the kernel knows ---- */

#define SET_SIZE (_NSIG / 8)

#define ON_SET(name)                                                                               \
    WRAP(int, name, (sigset_t * set)) {                                                            \
        WRITE(set, SET_SIZE);                                                                      \
        return name(set);                                                                          \
    }

#define IN_SET(name)                                                                               \
    WRAP(int, name, (sigset_t * set, int signal)) {                                                \
        WRITE(set, SET_SIZE);                                                                      \
        return name(set, signal);                                                                  \
    }

#define MASK(name)                                                                                 \
    WRAP(int, name, (int how, const sigset_t *set, sigset_t *old)) {                               \
        READ_IF(set, SET_SIZE);                                                                    \
        WRITE_IF(old, SET_SIZE);                                                                   \
        return name(how, set, old);                                                                \
    }

ON_SET(sigemptyset)
ON_SET(sigfillset)
ON_SET(sigpending)
IN_SET(sigaddset)
IN_SET(sigdelset)
MASK(sigprocmask)
MASK(pthread_sigmask)

WRAP(int, sigismember, (const sigset_t *set, int signal)) {
    READ(set, SET_SIZE);
    return sigismember(set, signal);
}

WRAP(int, sigsuspend, (const sigset_t *set)) {
    READ(set, SET_SIZE);
    return sigsuspend(set);
}

WRAP(int, sigaction, (int signal, const struct sigaction *action, struct sigaction *old)) {
    READ_IF(action, sizeof *action);
    WRITE_IF(old, sizeof *old);
    return sigaction(signal, action, old);
}

WRAP(int, sigaltstack, (const stack_t *stack, stack_t *old)) {
    READ_IF(stack, sizeof *stack);
    WRITE_IF(old, sizeof *old);
    return sigaltstack(stack, old);
}

WRAP(int, sigwait, (const sigset_t *set, int *signal)) {
    READ(set, SET_SIZE);
    WRITE(signal, sizeof *signal);
    return sigwait(set, signal);
}

WRAP(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info)) {
    READ(set, SET_SIZE);
    WRITE_IF(info, sizeof *info);
    return sigwaitinfo(set, info);
}

WRAP(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *wait)) {
    READ(set, SET_SIZE);
    WRITE_IF(info, sizeof *info);
    READ_IF(wait, sizeof *wait);
    return sigtimedwait(set, info, wait);
}

/* ---- waiting for files ---- */

/* The kernel reads and writes whole words of a set. */
static size_t files_size(int count) {
    return count > 0 ? ((size_t)count + NFDBITS - 1) / NFDBITS * sizeof(fd_mask) : 0;
}

#define CHECK_SETS(count, reading, writing, other)                                                 \
    WRITE_IF(reading, files_size(count));                                                          \
    WRITE_IF(writing, files_size(count));                                                          \
    WRITE_IF(other, files_size(count))

WRAP(int, select,
     (int count, fd_set *reading, fd_set *writing, fd_set *other, struct timeval *wait)) {
    CHECK_SETS(count, reading, writing, other);
    WRITE_IF(wait, sizeof *wait);
    return select(count, reading, writing, other, wait);
}

WRAP(int, pselect,
     (int count, fd_set *reading, fd_set *writing, fd_set *other, const struct timespec *wait,
      const sigset_t *set)) {
    CHECK_SETS(count, reading, writing, other);
    READ_IF(wait, sizeof *wait);
    READ_IF(set, SET_SIZE);
    return pselect(count, reading, writing, other, wait, set);
}

WRAP(int, ppoll,
     (struct pollfd * files, nfds_t count, const struct timespec *wait, const sigset_t *set)) {
    WRITE(files, times(count, sizeof *files));
    READ_IF(wait, sizeof *wait);
    READ_IF(set, SET_SIZE);
    return ppoll(files, count, wait, set);
}

WRAP(int, epoll_ctl, (int queue, int operation, int file, struct epoll_event *event)) {
    if (operation != EPOLL_CTL_DEL) READ_IF(event, sizeof *event);
    return epoll_ctl(queue, operation, file, event);
}

static size_t events_size(int count) {
    return count > 0 ? times((size_t)count, sizeof(struct epoll_event)) : 0;
}

WRAP(int, epoll_wait, (int queue, struct epoll_event *events, int most, int wait)) {
    struct bounce bounce = bounce_begin(SITE, events, events_size(most));
    int count = epoll_wait(queue, bounce.buffer, most, wait);
    bounce_end(SITE, &bounce, events_size(count));
    return count;
}

WRAP(int, epoll_pwait,
     (int queue, struct epoll_event *events, int most, int wait, const sigset_t *set)) {
    READ_IF(set, SET_SIZE);
    struct bounce bounce = bounce_begin(SITE, events, events_size(most));
    int count = epoll_pwait(queue, bounce.buffer, most, wait, set);
    bounce_end(SITE, &bounce, events_size(count));
    return count;
}

/* ---- random bytes ---- */

WRAP(ssize_t, getrandom, (void *to, size_t size, unsigned flags)) {
    WRITE(to, size);
    return getrandom(to, size, flags);
}

WRAP(int, getentropy, (void *to, size_t size)) {
    if (size <= 256) WRITE(to, size); /* more is refused */
    return getentropy(to, size);
}

void arc4random_buf(void *, size_t) __attribute__((weak));
WRAP(void, arc4random_buf, (void *to, size_t size)) {
    WRITE(to, size);
    arc4random_buf(to, size);
}

/* ---- extended attributes ---- */

#define ATTRIBUTE(get, set, list, remove, key_type, check)                                         \
    WRAP(ssize_t, get, (key_type key, const char *name, void *to, size_t size)) {                  \
        check;                                                                                     \
        READ_STRING(name);                                                                         \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        ssize_t count = get(key, name, bounce.buffer, size);                                       \
        bounce_end(SITE, &bounce, arrived(count));                                                 \
        return count;                                                                              \
    }                                                                                              \
    WRAP(ssize_t, list, (key_type key, char *to, size_t size)) {                                   \
        check;                                                                                     \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        ssize_t count = list(key, bounce.buffer, size);                                            \
        bounce_end(SITE, &bounce, arrived(count));                                                 \
        return count;                                                                              \
    }                                                                                              \
    WRAP(int, set, (key_type key, const char *name, const void *from, size_t size, int flags)) {   \
        check;                                                                                     \
        READ_STRING(name);                                                                         \
        READ(from, size);                                                                          \
        return set(key, name, from, size, flags);                                                  \
    }                                                                                              \
    WRAP(int, remove, (key_type key, const char *name)) {                                          \
        check;                                                                                     \
        READ_STRING(name);                                                                         \
        return remove(key, name);                                                                  \
    }

ATTRIBUTE(getxattr, setxattr, listxattr, removexattr, const char *, READ_STRING(key))
ATTRIBUTE(lgetxattr, lsetxattr, llistxattr, lremovexattr, const char *, READ_STRING(key))
ATTRIBUTE(fgetxattr, fsetxattr, flistxattr, fremovexattr, int, (void)0)

/* ---- parts of numbers ---- */

#define PARTS(name, type, part_type)                                                               \
    WRAP(type, name, (type value, part_type * part)) {                                             \
        WRITE(part, sizeof *part);                                                                 \
        return name(value, part);                                                                  \
    }

PARTS(frexp, double, int)
PARTS(frexpf, float, int)
PARTS(frexpl, long double, int)
PARTS(modf, double, double)
PARTS(modff, float, float)
PARTS(modfl, long double, long double)
