/* Functions that answer with something from outside, which all code of the process calls here:
 * where a run is repeated, they answer what they did the first time, and in an exploration the same
 * on each path. A process has the same number then, so functions that are given it mean this
 * process. What the C library asks for itself, and what asks the kernel by numbers of system calls,
 * is not repeated. */
#include "../os/mem.h"
#include "../process/made.h"
#include "../process/outside.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../replace/cxx.h"
#include "../symbolic/failing.h"
#include "real.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern struct real_function *const __start_whence_real[] __attribute__((visibility("hidden")));
extern struct real_function *const __stop_whence_real[] __attribute__((visibility("hidden")));

__attribute__((constructor)) static void find_functions(void) {
    for (struct real_function *const *each = __start_whence_real; each < __stop_whence_real; each++)
        real_find(*each);
}

/* The answer of `call`, which puts bytes to `to` unless it fails: at most `size`, and as many as
 * `put` says, in which `result` is the call's. */
#define ANSWER_WITH(kind, to, size, call, put)                                                     \
    do {                                                                                           \
        int64_t again;                                                                             \
        if (OUTSIDE_REPEATED && outside_again(kind, to, size, &again))                             \
            return (__typeof__(call))without_error(again);                                         \
        outside_paused++;                                                                          \
        __typeof__(call) result = (call);                                                          \
        outside_paused--;                                                                          \
        if (OUTSIDE_KEPT)                                                                          \
            outside_keep(kind, to, (int64_t)result < 0 ? 0 : (size_t)(put), with_error(result));   \
        return result;                                                                             \
    } while (0)
#define ANSWER(kind, to, size, call) ANSWER_WITH(kind, to, size, call, size)
/* The answer of a call that says how many bytes it has put there. */
#define FILLED(kind, to, size, call) ANSWER_WITH(kind, to, size, call, result)

/* ---- the time ---- */

/* What clocks say when the process begins; those of processor time begin then. */
static uint64_t base_of(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI: return MADE_TODAY * MADE_SECOND;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME: return MADE_UPTIME * MADE_SECOND;
    default: return 0;
    }
}

static struct timeval micro_of(uint64_t time) {
    return (struct timeval){(time_t)(time / MADE_SECOND), (suseconds_t)(time % MADE_SECOND / 1000)};
}

WH_EXPORT int clock_gettime(clockid_t clock, struct timespec *now) {
    if (OUTSIDE_MADE) {
        if (REAL(clock_gettime)(clock, now)) return -1; /* there is no such clock */
        uint64_t time = base_of(clock) + made_time();
        *now = (struct timespec){(time_t)(time / MADE_SECOND), (long)(time % MADE_SECOND)};
        return 0;
    }
    ANSWER(WH_OUTSIDE_CLOCK_GETTIME, now, sizeof *now, REAL(clock_gettime)(clock, now));
}

WH_EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    if (OUTSIDE_MADE) {
        int result = REAL(gettimeofday)(now, zone);
        if (!result) *now = micro_of(MADE_TODAY * MADE_SECOND + made_time());
        return result;
    }
    ANSWER(WH_OUTSIDE_GETTIMEOFDAY, now, sizeof *now, REAL(gettimeofday)(now, zone));
}

static time_t seconds(void) {
    if (OUTSIDE_MADE) return (time_t)(MADE_TODAY + made_time() / MADE_SECOND);
    ANSWER(WH_OUTSIDE_TIME, NULL, 0, REAL(time)(NULL));
}

WH_EXPORT time_t time(time_t *to) {
    time_t now = seconds();
    if (to) *to = now;
    return now;
}

WH_EXPORT clock_t clock(void) {
    if (OUTSIDE_MADE) return (clock_t)(made_time() / (MADE_SECOND / CLOCKS_PER_SEC));
    ANSWER(WH_OUTSIDE_CLOCK, NULL, 0, REAL(clock)());
}

WH_EXPORT int timespec_get(struct timespec *now, int base) {
    if (!OUTSIDE_MADE || base != TIME_UTC) return REAL(timespec_get)(now, base);
    return clock_gettime(CLOCK_REALTIME, now) ? 0 : base;
}

/* ---- used time, which is only made up ---- */

WH_EXPORT clock_t times(struct tms *used) {
    clock_t result = REAL(times)(used);
    if (!OUTSIDE_MADE || result == (clock_t)-1) return result;
    uint64_t time = made_time(), tick = MADE_SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
    if (used) *used = (struct tms){.tms_utime = (clock_t)(time / tick)};
    return (clock_t)((MADE_UPTIME * MADE_SECOND + time) / tick);
}

WH_EXPORT int getrusage(__rusage_who_t who, struct rusage *used) {
    int result = REAL(getrusage)(who, used);
    if (OUTSIDE_MADE && !result)
        *used = (struct rusage){.ru_utime = micro_of(who == RUSAGE_CHILDREN ? 0 : made_time())};
    return result;
}

/* ---- waiting, where the time is made up ---- */

/* While the process waits, nothing else happens of which it can know. */
static int is_alone(void) {
    struct itimerval timer;
    if (os_has_threads() ||
        (!getitimer(ITIMER_REAL, &timer) && (timer.it_value.tv_sec || timer.it_value.tv_usec)))
        return 0;
    int before = errno, child = waitid(P_ALL, 0, NULL, WEXITED | WSTOPPED | WNOHANG | WNOWAIT);
    errno = before;
    return child < 0;
}

/* Whether the time has passed, without waiting. */
static int passed(uint64_t nanoseconds) {
    if (!OUTSIDE_MADE) return 0;
    made_wait(nanoseconds);
    return is_alone();
}

/* 0 if it is no time. */
static uint64_t nanoseconds_of(const struct timespec *time) {
    if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= (long)MADE_SECOND) return 0;
    return (uint64_t)time->tv_sec * MADE_SECOND + (uint64_t)time->tv_nsec;
}

WH_EXPORT int nanosleep(const struct timespec *wait, struct timespec *rest) {
    if (OUTSIDE_MADE && wait && nanoseconds_of(wait) && passed(nanoseconds_of(wait))) return 0;
    return REAL(nanosleep)(wait, rest);
}

/* A wait until a time is one for what is left until then. */
WH_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wait,
                              struct timespec *rest) {
    uint64_t time = OUTSIDE_MADE && wait ? nanoseconds_of(wait) : 0;
    if (!time || base_of(clock) == 0) return REAL(clock_nanosleep)(clock, flags, wait, rest);
    if (flags & TIMER_ABSTIME) {
        uint64_t now = base_of(clock) + made_time();
        time = time > now ? time - now : 0;
    }
    struct timespec left = {(time_t)(time / MADE_SECOND), (long)(time % MADE_SECOND)};
    return passed(time) ? 0 : REAL(clock_nanosleep)(clock, 0, &left, rest);
}

WH_EXPORT int usleep(useconds_t wait) { return passed(wait * 1000ull) ? 0 : REAL(usleep)(wait); }

WH_EXPORT unsigned sleep(unsigned wait) {
    return passed(wait * MADE_SECOND) ? 0 : REAL(sleep)(wait);
}

/* ---- random bytes ---- */

WH_EXPORT ssize_t getrandom(void *to, size_t size, unsigned flags) {
    if (OUTSIDE_MADE) {
        made_fill(to, size);
        return (ssize_t)size;
    }
    FILLED(WH_OUTSIDE_RANDOM, to, size, REAL(getrandom)(to, size, flags));
}

WH_EXPORT int getentropy(void *to, size_t size) {
    if (OUTSIDE_MADE && size <= 256) { /* more is refused */
        made_fill(to, size);
        return 0;
    }
    ANSWER(WH_OUTSIDE_RANDOM, to, size, REAL(getentropy)(to, size));
}

static void fill_by_system(void *to, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t more = REAL(getrandom)((char *)to + done, size - done, 0);
        if (more > 0) done += (size_t)more;
    }
}

/* In the C library since 2.36. */
void arc4random_buf(void *to, size_t size);
WH_EXPORT void arc4random_buf(void *to, size_t size) {
    int64_t again;
    if (OUTSIDE_MADE) {
        made_fill(to, size);
        return;
    }
    if (OUTSIDE_REPEATED && outside_again(WH_OUTSIDE_RANDOM, to, size, &again)) return;
    void (*real)(void *, size_t) = REAL(arc4random_buf);
    outside_paused++;
    (real ? real : fill_by_system)(to, size);
    outside_paused--;
    if (OUTSIDE_KEPT) outside_keep(WH_OUTSIDE_RANDOM, to, size, 0);
}

uint32_t arc4random(void);
WH_EXPORT uint32_t arc4random(void) {
    uint32_t number;
    arc4random_buf(&number, sizeof number);
    return number;
}

/* Below the bound, each as likely as the others: numbers of an incomplete last turn are left out.
 */
uint32_t arc4random_uniform(uint32_t bound);
WH_EXPORT uint32_t arc4random_uniform(uint32_t bound) {
    if (bound < 2) return 0;
    uint32_t number, least = -bound % bound;
    do number = arc4random();
    while (number < least);
    return number % bound;
}

/* ---- files whose contents are others each time ---- */

/* Of what the process has in memory, where it is in the second run what matters. */
static int is_about_memory(int file) {
    static const char *const names[] = {"maps",    "smaps", "smaps_rollup", "numa_maps",
                                        "pagemap", "mem",   "auxv",         "syscall"};
    TEXT(link, 32);
    char path[256];
    text_put(&link, "/proc/self/fd/");
    text_decimal(&link, (uint64_t)file);
    text_put_n(&link, "", 1);
    long length = os_read_link(link.begin, path, sizeof path - 1);
    if (length < 0) return 1;
    path[length] = 0;
    const char *name = strrchr(path, '/');
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (!strcmp(name + 1, names[i])) return 1;
    return 0;
}

/* Random bytes, and what the kernel says about processes and the machine. */
static int changes(int file) {
    struct stat status;
    struct statfs system;
    if (fstat(file, &status)) return 0;
    if (S_ISCHR(status.st_mode) && major(status.st_rdev) == 1)
        return minor(status.st_rdev) == 8 || minor(status.st_rdev) == 9;
    if (OUTSIDE_MADE || !S_ISREG(status.st_mode) || fstatfs(file, &system)) return 0;
    return (system.f_type == PROC_SUPER_MAGIC && !is_about_memory(file)) ||
           system.f_type == SYSFS_MAGIC;
}

static ssize_t filled_up(void *to, ssize_t size) {
    if (size > 0) made_fill(to, (size_t)size);
    return size;
}

/* What is read, by `call`. */
#define CONTENTS(file, to, size, call)                                                             \
    do {                                                                                           \
        if (WH_LIKELY(!outside_mode || outside_calls) || !changes(file)) return (call);            \
        if (OUTSIDE_MADE) return filled_up(to, (call));                                            \
        FILLED(WH_OUTSIDE_READ, to, size, (call));                                                 \
    } while (0)

/* Returns `failed` with its error where this call of the function is to fail. */
#define MAY_FAIL(name, failed, ...)                                                                \
    do {                                                                                           \
        static const int errors[] = {__VA_ARGS__, 0};                                              \
        int error = failing("failure of " name, errors, (uintptr_t)__builtin_return_address(0));   \
        if (WH_LIKELY(!error)) break;                                                              \
        errno = error;                                                                             \
        return failed;                                                                             \
    } while (0)

WH_EXPORT ssize_t read(int file, void *to, size_t size) {
    MAY_FAIL("read", -1, EIO, EINTR);
    CONTENTS(file, to, size, REAL(read)(file, to, size));
}

WH_EXPORT ssize_t pread(int file, void *to, size_t size, off_t offset) {
    MAY_FAIL("pread", -1, EIO, EINTR);
    CONTENTS(file, to, size, REAL(pread)(file, to, size, offset));
}

WH_EXPORT ssize_t pread64(int file, void *to, size_t size, off64_t offset) {
    return pread(file, to, size, offset);
}

/* The C library reads from such a file by itself; a stream of our own reads as above. */
static ssize_t read_stream(void *file, char *to, size_t size) {
    return read((int)(intptr_t)file, to, size);
}

static int seek_stream(void *file, off64_t *offset, int whence) {
    off64_t now = lseek64((int)(intptr_t)file, *offset, whence);
    if (now >= 0) *offset = now;
    return now < 0 ? -1 : 0;
}

static int close_stream(void *file) { return close((int)(intptr_t)file); }

static FILE *stream_on(int file, const char *mode) {
    cookie_io_functions_t calls = {.read = read_stream, .seek = seek_stream, .close = close_stream};
    FILE *stream = fopencookie((void *)(intptr_t)file, mode, calls);
    if (stream) stream->_fileno = file; /* the C++ library reads from the descriptor */
    return stream;
}

static int only_reads(const char *mode) { return *mode == 'r' && !strchr(mode, '+'); }

static FILE *stream_of(FILE *opened, const char *mode) {
    if (WH_LIKELY(!outside_mode || outside_calls) || !opened) return opened;
    if (!only_reads(mode) || !changes(fileno(opened))) return opened;
    int file = dup(fileno(opened));
    if (file < 0) return opened;
    FILE *stream = stream_on(file, mode);
    if (!stream) {
        close(file);
        return opened;
    }
    fclose(opened);
    return stream;
}

WH_EXPORT FILE *fdopen(int file, const char *mode) {
    MAY_FAIL("fdopen", NULL, ENOMEM);
    if (WH_UNLIKELY(outside_mode && !outside_calls) && only_reads(mode) && changes(file))
        return stream_on(file, mode);
    return REAL(fdopen)(file, mode);
}

/* A path in what the kernel says about this process, which has another number than the first time.
 */
static const char *path_again(const char *path) {
    static __thread char room[256];
    static const char folder[] = "/proc/";
    if (!OUTSIDE_REPEATED || !path || strncmp(path, folder, sizeof folder - 1)) return path;
    char *end;
    const char *number = path + sizeof folder - 1;
    if (*number < '1' || *number > '9') return path;
    if (strtoul(number, &end, 10) != outside_process() || (*end && *end != '/')) return path;
    return (size_t)snprintf(room, sizeof room, "/proc/self%s", end) < sizeof room ? room : path;
}

WH_EXPORT FILE *fopen(const char *restrict path, const char *restrict mode) {
    MAY_FAIL("fopen", NULL, EACCES, EMFILE);
    return stream_of(REAL(fopen)(path_again(path), mode), mode);
}

FILE *fopen64(const char *restrict path, const char *restrict mode);
WH_EXPORT FILE *fopen64(const char *restrict path, const char *restrict mode) {
    MAY_FAIL("fopen", NULL, EACCES, EMFILE);
    return stream_of(REAL(fopen64)(path_again(path), mode), mode);
}

/* The mode is there where a file may be made. */
#define MODE_OF(flags)                                                                             \
    mode_t mode = 0;                                                                               \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) {                                 \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        mode = va_arg(list, mode_t);                                                               \
        va_end(list);                                                                              \
    }

#define OPEN(name)                                                                                 \
    WH_EXPORT int name(const char *path, int flags, ...) {                                         \
        MODE_OF(flags)                                                                             \
        MAY_FAIL("open", -1, EACCES, EMFILE);                                                      \
        return REAL(name)(path_again(path), flags, mode);                                          \
    }
#define OPEN_AT(name)                                                                              \
    WH_EXPORT int name(int folder, const char *path, int flags, ...) {                             \
        MODE_OF(flags)                                                                             \
        MAY_FAIL("open", -1, EACCES, EMFILE);                                                      \
        return REAL(name)(folder, path_again(path), flags, mode);                                  \
    }

OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)

/* It asks the processor, which answers each time anew. */
unsigned random_device(void *device) __asm__("_ZNSt13random_device9_M_getvalEv");
WH_EXPORT unsigned random_device(void *device) {
    unsigned made;
    if (OUTSIDE_MADE) {
        made_fill(&made, sizeof made);
        return made;
    }
    unsigned (*real)(void *) = CXX_FUNCTION(unsigned, _ZNSt13random_device9_M_getvalEv, (void *));
    ANSWER(WH_OUTSIDE_RANDOM, NULL, 0, (int64_t)real(device));
}

/* ---- processes ---- */

WH_EXPORT pid_t getpid(void) { return (pid_t)outside_process(); }

WH_EXPORT pid_t getppid(void) {
    if (OUTSIDE_MADE) return (pid_t)outside_parent();
    ANSWER(WH_OUTSIDE_PARENT, NULL, 0, (pid_t)syscall(SYS_getppid));
}

/* The first thread has the number of the process. */
pid_t gettid(void); /* since 2.30 */
WH_EXPORT pid_t gettid(void) {
    uint32_t thread = os_thread();
    return (pid_t)(OUTSIDE_NUMBERED && thread == os_process() ? outside_process() : thread);
}

static pid_t meant(pid_t process) {
    return OUTSIDE_NUMBERED && process == (pid_t)outside_process() ? (pid_t)os_process() : process;
}

WH_EXPORT int kill(pid_t process, int signal) { return REAL(kill)(meant(process), signal); }

WH_EXPORT int sigqueue(pid_t process, int signal, const union sigval value) {
    return REAL(sigqueue)(meant(process), signal, value);
}
