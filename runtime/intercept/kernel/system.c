/* sys/wait.h, sys/resource.h, sys/random.h, sched.h, sys/utsname.h, termios.h, sys/xattr.h: what
 * the system reads and writes. */
#include <stdarg.h>
#include "../check.h"

#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/klog.h>
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

/* What the kernel takes of a terminal's settings: it has fewer control characters. */
#define TERMINAL_SIZE (offsetof(struct termios, c_cc) + 19)

WRAP(int, tcsetattr, (int file, int when, const struct termios *settings)) {
    READ(settings, sizeof *settings);
    if (is_there(settings, sizeof *settings)) check_used(SITE, settings, TERMINAL_SIZE);
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
        USE(set, size);                                                                            \
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
        USE(from, size);                                                                           \
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

WRAP(int, setdomainname, (const char *name, size_t size)) {
    USE(name, size);
    return NEXT(setdomainname)(name, size);
}

/* From 2.29 on. */
int getcpu(unsigned *, unsigned *) __attribute__((weak));
WRAP(int, getcpu, (unsigned *processor, unsigned *node)) {
    WRITE_IF(processor, sizeof *processor);
    WRITE_IF(node, sizeof *node);
    return NEXT(getcpu)(processor, node);
}

/* No header declares them; the structures are the kernel's. */
int capget(struct __user_cap_header_struct *, struct __user_cap_data_struct *);
int capset(struct __user_cap_header_struct *, const struct __user_cap_data_struct *);

static size_t capabilities_size(struct site site, struct __user_cap_header_struct *header) {
    check_range(site, header, sizeof *header, 1, header);
    if (!is_there(header, sizeof *header)) return 0;
    check_used(site, header, sizeof *header);
    size_t size = sizeof(struct __user_cap_data_struct);
    return header->version == _LINUX_CAPABILITY_VERSION_1 ? size : 2 * size;
}

/* Without data, the version is asked for. */
WRAP(int, capget, (struct __user_cap_header_struct * header, struct __user_cap_data_struct *data)) {
    size_t size = capabilities_size(SITE, header);
    WRITE_IF(data, size);
    return NEXT(capget)(header, data);
}

WRAP(int, capset,
     (struct __user_cap_header_struct * header, const struct __user_cap_data_struct *data)) {
    size_t size = capabilities_size(SITE, header);
    USE(data, size);
    return NEXT(capset)(header, data);
}

#define LOG_READ 2 /* what stores: reading, reading all, and that with clearing after it */
#define LOG_READ_ALL 3
#define LOG_READ_CLEAR 4

WRAP(int, klogctl, (int command, char *to, int size)) {
    int stores = command == LOG_READ || command == LOG_READ_ALL || command == LOG_READ_CLEAR;
    struct bounce bounce = bounce_begin(SITE, to, stores && size > 0 ? (size_t)size : 0);
    int count = NEXT(klogctl)(command, bounce.buffer, size);
    bounce_end(SITE, &bounce, stores ? arrived(count) : 0);
    return count;
}

WRAP(size_t, confstr, (int which, char *to, size_t size)) {
    struct bounce bounce = bounce_begin(SITE, to, to ? size : 0);
    size_t need = NEXT(confstr)(which, bounce.buffer, size);
    bounce_end(SITE, &bounce, need);
    return need;
}

/* Pages of the range, a byte each. */
WRAP(int, mincore, (void *begin, size_t size, unsigned char *pages)) {
    struct bounce bounce = bounce_begin(SITE, pages, (size + OS_PAGE - 1) / OS_PAGE);
    int result = NEXT(mincore)(begin, size, bounce.buffer);
    bounce_end(SITE, &bounce, result == 0 ? (size + OS_PAGE - 1) / OS_PAGE : 0);
    return result;
}
