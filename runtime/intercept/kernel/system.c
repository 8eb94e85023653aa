/* sys/wait.h, sys/resource.h, sys/random.h, sched.h, sys/utsname.h, termios.h, sys/xattr.h: what
 * the system reads and writes. */
#include <stdarg.h>
#include "../check.h"

#include <sched.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

/* ---- an answer of fixed size ---- */

#define ANSWER(type, name, answer_type)                                                            \
    WRAP(type, name, (answer_type * answer)) {                                                     \
        WRITE(answer, sizeof *answer);                                                             \
        return NEXT(name)(answer);                                                                 \
    }

#define ANSWER_IF(type, name, answer_type)                                                         \
    WRAP(type, name, (answer_type * answer)) {                                                     \
        WRITE_IF(answer, sizeof *answer);                                                          \
        return NEXT(name)(answer);                                                                 \
    }

#define ANSWER_TO(name, key_type, answer_type)                                                     \
    WRAP(int, name, (key_type key, answer_type * answer)) {                                        \
        WRITE(answer, sizeof *answer);                                                             \
        return NEXT(name)(key, answer);                                                            \
    }

#define TELL(name, key_type, value_type)                                                           \
    WRAP(int, name, (key_type key, const value_type *value)) {                                     \
        USE(value, sizeof *value);                                                                 \
        return NEXT(name)(key, value);                                                             \
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
    return (int)USED(file, NEXT(tcsetattr)(file, when, settings));
}

WRAP(int, getgroups, (int count, gid_t *to)) {
    struct bounce bounce =
        bounce_begin(SITE, to, count > 0 ? bytes_of((size_t)count, sizeof *to) : 0);
    int stored = NEXT(getgroups)(count, bounce.buffer);
    bounce_end(SITE, &bounce, stored > 0 ? bytes_of((size_t)stored, sizeof *to) : 0);
    return stored;
}

WRAP(clock_t, times, (struct tms * answer)) {
    WRITE_IF(answer, sizeof *answer);
    return NEXT(times)(answer);
}

/* The limits may be those of another process; either pointer may be NULL. */
#define LIMITS(name, type)                                                                         \
    WRAP(int, name,                                                                                \
         (pid_t process, __rlimit_resource_t which, const struct type *next, struct type *old)) {  \
        USE_IF(next, sizeof *next);                                                                \
        WRITE_IF(old, sizeof *old);                                                                \
        return NEXT(name)(process, which, next, old);                                              \
    }

LIMITS(prlimit, rlimit)
LIMITS(prlimit64, rlimit64)

/* ---- processes ---- */

ANSWER_IF(pid_t, wait, int)

WRAP(pid_t, waitpid, (pid_t child, int *status, int options)) {
    WRITE_IF(status, sizeof *status);
    return NEXT(waitpid)(child, status, options);
}

WRAP(pid_t, wait3, (int *status, int options, struct rusage *usage)) {
    WRITE_IF(status, sizeof *status);
    WRITE_IF(usage, sizeof *usage);
    return NEXT(wait3)(status, options, usage);
}

WRAP(pid_t, wait4, (pid_t child, int *status, int options, struct rusage *usage)) {
    WRITE_IF(status, sizeof *status);
    WRITE_IF(usage, sizeof *usage);
    return NEXT(wait4)(child, status, options, usage);
}

WRAP(int, waitid, (idtype_t kind, id_t id, siginfo_t *info, int options)) {
    WRITE_IF(info, sizeof *info);
    return NEXT(waitid)(kind, id, info, options);
}

#define PROCESSORS(name, key_type)                                                                 \
    WRAP(int, sched_get##name, (key_type key, size_t size, cpu_set_t *set)) {                      \
        WRITE(set, size);                                                                          \
        return NEXT(sched_get##name)(key, size, set);                                              \
    }                                                                                              \
    WRAP(int, sched_set##name, (key_type key, size_t size, const cpu_set_t *set)) {                \
        READ(set, size);                                                                           \
        return NEXT(sched_set##name)(key, size, set);                                              \
    }

PROCESSORS(affinity, pid_t)

/* ---- random bytes ---- */

WRAP(ssize_t, getrandom, (void *to, size_t size, unsigned flags)) {
    WRITE(to, size);
    return NEXT(getrandom)(to, size, flags);
}

WRAP(int, getentropy, (void *to, size_t size)) {
    if (size <= 256) WRITE(to, size); /* more is refused */
    return NEXT(getentropy)(to, size);
}

/* ---- extended attributes ---- */

#define OF_NAME(key, result) (result)
#define OF_FILE(key, result) USED(key, result)

#define ATTRIBUTE(get, set, list, remove, key_type, check, of)                                     \
    FILLING(                                                                                       \
        get, (key_type key, const char *name, void *to, size_t size),                              \
        {                                                                                          \
            check;                                                                                 \
            READ_PATH(name);                                                                       \
        },                                                                                         \
        of(key, NEXT(get)(key, name, bounce.buffer, size)), (void)0, (void)0)                      \
    FILLING(list, (key_type key, char *to, size_t size), check,                                    \
            of(key, NEXT(list)(key, bounce.buffer, size)), (void)0, (void)0)                       \
    WRAP(int, set, (key_type key, const char *name, const void *from, size_t size, int flags)) {   \
        check;                                                                                     \
        READ_PATH(name);                                                                           \
        READ(from, size);                                                                          \
        return (int)of(key, NEXT(set)(key, name, from, size, flags));                              \
    }                                                                                              \
    WRAP(int, remove, (key_type key, const char *name)) {                                          \
        check;                                                                                     \
        READ_PATH(name);                                                                           \
        return (int)of(key, NEXT(remove)(key, name));                                              \
    }

ATTRIBUTE(getxattr, setxattr, listxattr, removexattr, const char *, READ_PATH(key), OF_NAME)
ATTRIBUTE(lgetxattr, lsetxattr, llistxattr, lremovexattr, const char *, READ_PATH(key), OF_NAME)
ATTRIBUTE(fgetxattr, fsetxattr, flistxattr, fremovexattr, int, (void)0, OF_FILE)

/* ---- who and what a process is ---- */

#define THREE_IDS(name, type)                                                                      \
    WRAP(int, name, (type * real, type * effective, type * saved)) {                               \
        WRITE(real, sizeof *real);                                                                 \
        WRITE(effective, sizeof *effective);                                                       \
        WRITE(saved, sizeof *saved);                                                               \
        return NEXT(name)(real, effective, saved);                                                 \
    }

THREE_IDS(getresuid, uid_t)
THREE_IDS(getresgid, gid_t)
ANSWER_TO(sched_getparam, pid_t, struct sched_param)
ANSWER_TO(sched_rr_get_interval, pid_t, struct timespec)
TELL(sched_setparam, pid_t, struct sched_param)

WRAP(int, sched_setscheduler, (pid_t process, int policy, const struct sched_param *parameters)) {
    USE(parameters, sizeof *parameters);
    return NEXT(sched_setscheduler)(process, policy, parameters);
}

WRAP(int, setgroups, (size_t count, const gid_t *groups)) {
    USE(groups, bytes_of(count, sizeof *groups));
    return NEXT(setgroups)(count, groups);
}

WRAP(int, sethostname, (const char *name, size_t size)) {
    USE(name, size);
    return NEXT(sethostname)(name, size);
}

/* Pages of the range, a byte each. */
WRAP(int, mincore, (void *begin, size_t size, unsigned char *pages)) {
    struct bounce bounce = bounce_begin(SITE, pages, (size + OS_PAGE - 1) / OS_PAGE);
    int result = NEXT(mincore)(begin, size, bounce.buffer);
    bounce_end(SITE, &bounce, result == 0 ? (size + OS_PAGE - 1) / OS_PAGE : 0);
    return result;
}
