/* Functions that answer with something from outside, which all code of the process calls here:
 * where a run is repeated, they answer what they did the first time. A process keeps its number
 * then, so functions that are given it mean this process. What the C library asks for itself is not
 * repeated. */
#include "../os/mem.h"
#include "../process/outside.h"
#include "../os/os.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The function of the C library. */
#define REAL(name)                                                                                 \
    ({                                                                                             \
        static __typeof__(&name) real_##name;                                                      \
        if (WH_UNLIKELY(!real_##name))                                                             \
            real_##name = (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name);                   \
        real_##name;                                                                               \
    })

/* A result with its error, in one number. */
static int64_t with_error(int64_t result) { return result < 0 ? -(int64_t)errno : result; }

static int64_t without_error(int64_t kept) {
    if (kept >= 0) return kept;
    errno = (int)-kept;
    return -1;
}

/* The answer of `call`, which puts bytes to `to` unless it fails: at most `size`, and as many as
 * `put` says, in which `result` is the call's. */
#define ANSWER_WITH(kind, to, size, call, put)                                                     \
    do {                                                                                           \
        int64_t again;                                                                             \
        if (OUTSIDE_REPEATED && outside_again(kind, to, size, &again))                             \
            return (__typeof__(call))without_error(again);                                         \
        __typeof__(call) result = (call);                                                          \
        if (OUTSIDE_KEPT)                                                                          \
            outside_keep(kind, to, (int64_t)result < 0 ? 0 : (size_t)(put), with_error(result));   \
        return result;                                                                             \
    } while (0)
#define ANSWER(kind, to, size, call) ANSWER_WITH(kind, to, size, call, size)
/* The answer of a call that says how many bytes it has put there. */
#define FILLED(kind, to, size, call) ANSWER_WITH(kind, to, size, call, result)

/* ---- the time ---- */

WH_EXPORT int clock_gettime(clockid_t clock, struct timespec *now) {
    ANSWER(WH_OUTSIDE_CLOCK_GETTIME, now, sizeof *now, REAL(clock_gettime)(clock, now));
}

WH_EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    ANSWER(WH_OUTSIDE_GETTIMEOFDAY, now, sizeof *now, REAL(gettimeofday)(now, zone));
}

static time_t seconds(void) { ANSWER(WH_OUTSIDE_TIME, NULL, 0, REAL(time)(NULL)); }

WH_EXPORT time_t time(time_t *to) {
    time_t now = seconds();
    if (to) *to = now;
    return now;
}

WH_EXPORT clock_t clock(void) { ANSWER(WH_OUTSIDE_CLOCK, NULL, 0, REAL(clock)()); }

/* ---- random bytes ---- */

WH_EXPORT ssize_t getrandom(void *to, size_t size, unsigned flags) {
    FILLED(WH_OUTSIDE_RANDOM, to, size, REAL(getrandom)(to, size, flags));
}

WH_EXPORT int getentropy(void *to, size_t size) {
    ANSWER(WH_OUTSIDE_RANDOM, to, size, REAL(getentropy)(to, size));
}

/* Since 2.36. */
typedef void (*fill_function)(void *, size_t);
static fill_function real_fill(void) {
    static fill_function real;
    if (!real) real = (fill_function)(uintptr_t)dlsym(RTLD_NEXT, "arc4random_buf");
    return real;
}

static void fill_by_system(void *to, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t more = REAL(getrandom)((char *)to + done, size - done, 0);
        if (more > 0) done += (size_t)more;
    }
}

void arc4random_buf(void *to, size_t size);
WH_EXPORT void arc4random_buf(void *to, size_t size) {
    int64_t again;
    if (OUTSIDE_REPEATED && outside_again(WH_OUTSIDE_RANDOM, to, size, &again)) return;
    (real_fill() ? real_fill() : fill_by_system)(to, size);
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

static int is_random(int file) {
    struct stat status;
    if (fstat(file, &status) || !S_ISCHR(status.st_mode) || major(status.st_rdev) != 1) return 0;
    return minor(status.st_rdev) == 8 || minor(status.st_rdev) == 9;
}

WH_EXPORT ssize_t read(int file, void *to, size_t size) {
    if (WH_LIKELY(!outside_mode) || !is_random(file)) return REAL(read)(file, to, size);
    FILLED(WH_OUTSIDE_READ, to, size, REAL(read)(file, to, size));
}

/* The C library reads from such a file by itself; a stream of our own reads as above. */
static ssize_t read_stream(void *file, char *to, size_t size) {
    return read((int)(intptr_t)file, to, size);
}

static int close_stream(void *file) { return close((int)(intptr_t)file); }

static FILE *stream_of(FILE *opened, const char *mode) {
    if (WH_LIKELY(!outside_mode) || !opened || !is_random(fileno(opened))) return opened;
    int file = dup(fileno(opened));
    if (file < 0) return opened;
    cookie_io_functions_t calls = {.read = read_stream, .close = close_stream};
    FILE *stream = fopencookie((void *)(intptr_t)file, mode, calls);
    if (!stream) {
        close(file);
        return opened;
    }
    fclose(opened);
    return stream;
}

WH_EXPORT FILE *fopen(const char *restrict path, const char *restrict mode) {
    return stream_of(REAL(fopen)(path, mode), mode);
}

FILE *fopen64(const char *restrict path, const char *restrict mode);
WH_EXPORT FILE *fopen64(const char *restrict path, const char *restrict mode) {
    return stream_of(REAL(fopen64)(path, mode), mode);
}

/* It asks the processor, which answers each time anew. */
unsigned random_device(void *device) __asm__("_ZNSt13random_device9_M_getvalEv");
WH_EXPORT unsigned random_device(void *device) {
    static unsigned (*real)(void *);
    if (!real)
        real =
            (unsigned (*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "_ZNSt13random_device9_M_getvalEv");
    ANSWER(WH_OUTSIDE_RANDOM, NULL, 0, (int64_t)real(device));
}

/* ---- processes ---- */

WH_EXPORT pid_t getpid(void) { return (pid_t)outside_process(); }

WH_EXPORT pid_t getppid(void) { ANSWER(WH_OUTSIDE_PARENT, NULL, 0, (pid_t)syscall(SYS_getppid)); }

static pid_t meant(pid_t process) {
    return OUTSIDE_REPEATED && process == (pid_t)outside_process() ? (pid_t)os_process() : process;
}

WH_EXPORT int kill(pid_t process, int signal) { return REAL(kill)(meant(process), signal); }

WH_EXPORT int sigqueue(pid_t process, int signal, const union sigval value) {
    return REAL(sigqueue)(meant(process), signal, value);
}
