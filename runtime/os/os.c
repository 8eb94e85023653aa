#include "os.h"
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Whether a tool executes the process, and answers some system calls itself. */
#ifndef OS_EXECUTED
#define OS_EXECUTED 0
#endif

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

int os_threaded;

long os_pass(long number, long a, long b, long c, long d, long e, long f) {
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static os_allows *confined_to;
static uint32_t process_then, thread_then;

/* Where the C library (glibc, of 64 bits) keeps the number of a thread. */
#define LIBRARY_THREAD 0x2d0
static int library_tells;

static uint32_t told_by_library(void) {
    return *(const uint32_t *)((uintptr_t)__builtin_thread_pointer() + LIBRARY_THREAD);
}

int os_may_call(long number, const uint64_t *words) {
    os_allows *allows = __atomic_load_n(&confined_to, __ATOMIC_RELAXED);
    return WH_LIKELY(!allows) || allows(number, words);
}

int os_may(long number) {
    static const uint64_t unknown[6];
    return os_may_call(number, unknown);
}

static long call6(long number, long a, long b, long c, long d, long e, long f) {
    if (WH_UNLIKELY(confined_to)) {
        const uint64_t words[] = {(uint64_t)a, (uint64_t)b, (uint64_t)c,
                                  (uint64_t)d, (uint64_t)e, (uint64_t)f};
        if (!os_may_call(number, words)) return -EPERM;
    }
    return os_pass(number, a, b, c, d, e, f);
}

void os_confine(os_allows *allows) {
    process_then = os_process();
    thread_then = os_thread();
    library_tells = told_by_library() == thread_then;
    __atomic_store_n(&confined_to, allows, __ATOMIC_RELEASE);
}

long os_call(long number, long a, long b, long c, long d, long e, long f) {
    return call6(number, a, b, c, d, e, f);
}

static long call4(long number, long a, long b, long c, long d) {
    return call6(number, a, b, c, d, 0, 0);
}

static long call3(long number, long a, long b, long c) { return call6(number, a, b, c, 0, 0, 0); }

static int protection(enum os_access access) {
    static const int protections[] = {
        [OS_NONE] = PROT_NONE, [OS_READ] = PROT_READ, [OS_READ_WRITE] = PROT_READ | PROT_WRITE};
    return protections[access];
}

/* ---- memory ---- */

static void advise_reserved(uintptr_t begin, size_t size) {
    call3(SYS_madvise, (long)begin, (long)size, MADV_DONTDUMP);
    /* A huge page would back 16 MiB of program memory for one touched byte. */
    call3(SYS_madvise, (long)begin, (long)size, MADV_NOHUGEPAGE);
}

long os_reserve(uintptr_t begin, size_t size, enum os_access access) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    long at = call6(SYS_mmap, (long)begin, (long)size, protection(access), flags, -1, 0);
    if (os_failed(at)) return at;
    if ((uintptr_t)at != begin) { /* a kernel before 4.17 takes the address as a hint */
        os_unmap((uintptr_t)at, size);
        return -EEXIST;
    }
    if (access == OS_READ_WRITE) advise_reserved(begin, size);
    return 0;
}

#define ANYWHERE_UNIT (2ull << 20)

long os_reserve_anywhere(uintptr_t *begin, size_t size, enum os_access access) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    size_t more = size + ANYWHERE_UNIT;
    long at = call6(SYS_mmap, 0, (long)more, protection(access), flags, -1, 0);
    if (os_failed(at)) return at;
    *begin = wh_round_up((uintptr_t)at, ANYWHERE_UNIT);
    uintptr_t end = (uintptr_t)at + more;
    if (*begin > (uintptr_t)at) os_unmap((uintptr_t)at, *begin - (uintptr_t)at);
    if (end > *begin + size) os_unmap(*begin + size, end - *begin - size);
    if (access == OS_READ_WRITE) advise_reserved(*begin, size);
    return 0;
}

long os_protect(uintptr_t begin, size_t size, enum os_access access) {
    return call3(SYS_mprotect, (long)begin, (long)size, protection(access));
}

long os_open_pages(uintptr_t begin, size_t size) {
    long result = os_protect(begin, size, OS_READ_WRITE);
    return result == -EPERM ? os_renew(begin, size, OS_READ_WRITE) : result;
}

long os_close_pages(uintptr_t begin, size_t size) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    return call6(SYS_mmap, (long)begin, (long)size, PROT_NONE, flags, -1, 0);
}

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

long os_move_page(uintptr_t from, uintptr_t to) {
    int flags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
    return call6(SYS_mremap, (long)from, OS_PAGE, OS_PAGE, flags, (long)to, 0);
}

/* Pages of zeros are not touched, so that they cost nothing. */
static void clear(uint64_t *word, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (word[i]) word[i] = 0;
}

void os_discard(uintptr_t begin, size_t size) {
    if (call3(SYS_madvise, (long)begin, (long)size, MADV_DONTNEED) == -EPERM)
        clear((uint64_t *)begin, size / sizeof(uint64_t));
}

long os_renew(uintptr_t begin, size_t size, enum os_access access) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    long at = call6(SYS_mmap, (long)begin, (long)size, protection(access), flags, -1, 0);
    return os_failed(at) ? at : 0;
}

int os_move(uintptr_t from, size_t size, uintptr_t to, size_t to_size) {
    int flags = MREMAP_MAYMOVE | MREMAP_FIXED;
    long at = call6(SYS_mremap, (long)from, (long)size, (long)to_size, flags, (long)to, 0);
    /* It may have unmapped the target before it failed. */
    if (os_failed(at))
        os_renew(to, to_size, OS_READ_WRITE);
    else
        os_renew(from, size, OS_READ_WRITE);
    return !os_failed(at);
}

uintptr_t os_map(size_t size) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    long at = call6(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, flags, -1, 0);
    return os_failed(at) ? 0 : (uintptr_t)at;
}

void os_unmap(uintptr_t begin, size_t size) { call3(SYS_munmap, (long)begin, (long)size, 0); }

int os_enlarge(void **table, size_t element, uint64_t used, uint64_t *capacity, uint64_t first) {
    uint64_t more = *capacity ? 2 * *capacity : first;
    uintptr_t fresh = os_map(wh_round_up(more * element, OS_PAGE));
    if (!fresh) return 0;
    wh_copy((void *)fresh, *table, used * element);
    if (*capacity) os_unmap((uintptr_t)*table, wh_round_up(*capacity * element, OS_PAGE));
    *table = (void *)fresh;
    *capacity = more;
    return 1;
}

uintptr_t os_map_to_read(int file, size_t size, uint64_t offset) {
    long at = call6(SYS_mmap, 0, (long)size, PROT_READ, MAP_PRIVATE, file, (long)offset);
    return os_failed(at) ? 0 : (uintptr_t)at;
}

uintptr_t os_map_file(int file, size_t size) {
    long at = call6(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return os_failed(at) ? 0 : (uintptr_t)at;
}

/* In headers from 5.14 on. */
#define POPULATE_WRITE 23

int os_populate(uintptr_t begin, size_t size) {
    long result = call3(SYS_madvise, (long)begin, (long)size, POPULATE_WRITE);
    return !os_failed(result) || result == -EINVAL;
}

long os_map_shared(uintptr_t begin, int file, size_t size, uint64_t offset) {
    int flags = MAP_SHARED | MAP_FIXED | (file < 0 ? MAP_ANONYMOUS : 0);
    long at =
        call6(SYS_mmap, (long)begin, (long)size, PROT_READ | PROT_WRITE, flags, file, (long)offset);
    return os_failed(at) ? at : 0;
}

/* rt_sigprocmask copies from and to the addresses it is given and answers
 * EFAULT where that fails. With an invalid `how` it changes nothing. */
/* The kernel does not look at a null pointer, and succeeds. A tool that executes the process
 * answers for masks of signals itself, but hands on masks of processors: of a process that there is
 * not. */
int os_readable(uintptr_t address) {
    if (!address) return 0;
    long answer = OS_EXECUTED ? call3(SYS_sched_setaffinity, -1, 8, (long)address)
                              : call4(SYS_rt_sigprocmask, -1, (long)address, 0, 8);
    return answer != -EFAULT;
}

int os_writable(uintptr_t address) {
    return address && call4(SYS_rt_sigprocmask, 0, 0, (long)address, 8) != -EFAULT;
}

static long read_own(uint32_t task, void *to, uintptr_t from, size_t size) {
    struct iovec target = {to, size}, source = {(void *)from, size};
    return os_call(SYS_process_vm_readv, task, (long)&target, 1, (long)&source, 1, 0);
}

int os_copy(void *to, uintptr_t from, size_t size) {
    long n = read_own(os_process(), to, from, size);
    /* The process has its first thread's number, which has no memory once that has ended. */
    if (n == -ESRCH) n = read_own(os_thread(), to, from, size);
    if (n == (long)size) return 1;
    if (n != -ENOSYS && n != -EPERM) return 0; /* filters of system calls may refuse it */
    if (!os_readable(wh_round_down(from, sizeof(uint64_t)))) return 0;
    wh_copy(to, (const void *)from, size);
    return 1;
}

uint64_t os_faults(void) {
    struct rusage usage = {0};
    call3(SYS_getrusage, RUSAGE_SELF, (long)&usage, 0);
    return (uint64_t)usage.ru_minflt;
}

long os_resident(uintptr_t begin, size_t size, unsigned char *pages) {
    return call3(SYS_mincore, (long)begin, (long)size, (long)pages);
}

/* ---- files ---- */

static int open_file(const char *path, enum os_open how) {
    static const int flags[] = {O_RDONLY, O_RDWR, O_RDONLY | O_DIRECTORY,
                                O_WRONLY | O_CREAT | O_APPEND};
    return (int)call4(SYS_openat, AT_FDCWD, (long)path, flags[how] | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

/* A program that has used up its descriptors has not used up what it may be given. */
int os_open(const char *path, enum os_open how) {
    int file = open_file(path, how);
    struct rlimit limit;
    if (file != -EMFILE || call4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit)) return file;
    struct rlimit more = {limit.rlim_cur + 1, limit.rlim_max};
    if (more.rlim_max < more.rlim_cur) more.rlim_max = more.rlim_cur;
    if (call4(SYS_prlimit64, 0, RLIMIT_NOFILE, (long)&more, 0)) return file;
    file = open_file(path, how);
    call4(SYS_prlimit64, 0, RLIMIT_NOFILE, (long)&limit, 0);
    return file;
}

int os_make_file(const char *path) {
    int how = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    return (int)call4(SYS_openat, AT_FDCWD, (long)path, how, S_IRUSR | S_IWUSR);
}

long os_enlarge_file(int file, uint64_t size) {
    struct rlimit limit;
    if (!call4(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit) && limit.rlim_cur < size)
        size = limit.rlim_cur; /* beyond it there is a signal */
    long result = call3(SYS_ftruncate, file, (long)size, 0);
    return os_failed(result) ? result : (long)size;
}

long os_close(int file) { return call3(SYS_close, file, 0, 0); }

int os_is_open(int file) { return call3(SYS_fcntl, file, F_GETFD, 0) != -EBADF; }

long os_read(int file, void *buffer, size_t size) {
    long n;
    do n = call3(SYS_read, file, (long)buffer, (long)size);
    while (n == -EINTR);
    return n;
}

long os_read_at(int file, void *buffer, size_t size, uint64_t offset) {
    long n;
    do n = call4(SYS_pread64, file, (long)buffer, (long)size, (long)offset);
    while (n == -EINTR);
    return n;
}

long os_write(int file, const void *buffer, size_t size) {
    long n;
    do n = call3(SYS_write, file, (long)buffer, (long)size);
    while (n == -EINTR);
    return n;
}

long os_file_size(int file) {
    struct stat status;
    long result = call3(SYS_fstat, file, (long)&status, 0);
    return os_failed(result) ? result : (long)status.st_size;
}

long os_list(int directory, void *buffer, size_t size) {
    return call3(SYS_getdents64, directory, (long)buffer, (long)size);
}

static long write_by(const char *path, uintptr_t to, const void *from, size_t size) {
    int file = os_open(path, OS_OPEN_READ_WRITE);
    if (file < 0) return file;
    long n = call4(SYS_pwrite64, file, (long)from, (long)size, (long)to);
    os_close(file);
    return n;
}

/* Nothing is written by the file of a process whose first thread has ended. */
long os_write_closed(uintptr_t to, const void *from, size_t size) {
    long n = write_by("/proc/self/mem", to, from, size);
    return n ? n : write_by("/proc/thread-self/mem", to, from, size);
}

long os_read_file(const char *path, char *buffer, size_t size) {
    int file = os_open(path, OS_OPEN_READ);
    if (file < 0) return file;
    size_t used = 0;
    long n = 0;
    while (used < size && (n = os_read(file, buffer + used, size - used)) > 0) used += (size_t)n;
    os_close(file);
    return n < 0 ? n : (long)used;
}

#define ENVIRONMENT_MOST (8ull << 20)

void os_environment(void (*use)(const char *begin, size_t size, void *argument), void *argument) {
    uintptr_t buffer = os_map(ENVIRONMENT_MOST);
    if (!buffer) return;
    long size = os_read_file("/proc/self/environ", (char *)buffer, ENVIRONMENT_MOST - 1);
    if (size > 0) use((const char *)buffer, (size_t)size, argument);
    os_unmap(buffer, ENVIRONMENT_MOST);
}

long os_read_link(const char *path, char *buffer, size_t size) {
    return call3(SYS_readlink, (long)path, (long)buffer, (long)size);
}

long os_identify(int file, struct os_identity *identity) {
    struct statx status;
    long result = os_call(SYS_statx, file, (long)"", AT_EMPTY_PATH,
                          STATX_TYPE | STATX_INO | STATX_SIZE | STATX_BTIME, (long)&status, 0);
    if (os_failed(result)) return result;
    int has_birth = (int)(status.stx_mask & STATX_BTIME);
    identity->device = (uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor;
    identity->number = status.stx_ino;
    identity->size = status.stx_size;
    identity->born =
        has_birth ? (uint64_t)status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec : 0;
    identity->mode = status.stx_mode;
    return 0;
}

int64_t os_place(int file) { return call3(SYS_lseek, file, 0, SEEK_CUR); }

/* ---- standard error ---- */

#define PATIENCE_MS 500
#define PIPE_ROOM 4096u /* a pipe that poll calls writable takes so much at once */
#define REFUSALS_MOST 100u

static int is_writable(int milliseconds) {
    struct pollfd error = {2, POLLOUT, 0};
    return call3(SYS_poll, (long)&error, 1, milliseconds) > 0;
}

/* Writes what standard error takes at once; -EAGAIN: nothing. */
static long write_at_once(const char *text, size_t size) {
    struct iovec all = {(void *)text, size};
    long n = os_call(SYS_pwritev2, 2, (long)&all, 1, -1, -1, RWF_NOWAIT);
    if (n == -EPERM) return os_write(2, text, size); /* as far as the program's filters allow */
    if (n != -EOPNOTSUPP && n != -ENOSYS && n != -EINVAL) return n;
    if (!is_writable(0)) return -EAGAIN;
    return os_write(2, text, size < PIPE_ROOM ? size : PIPE_ROOM);
}

void os_complain(const char *text, size_t size) {
    static int has_given_up;
    struct os_identity file = {0};
    int is_file = os_identify(2, &file) == 0 && S_ISREG(file.mode);
    for (unsigned refusals = 0; size > 0 && refusals < REFUSALS_MOST;) {
        long n = is_file ? os_write(2, text, size) : write_at_once(text, size);
        if (n == -EAGAIN) {
            refusals++;
            has_given_up = !is_writable(has_given_up ? 0 : PATIENCE_MS);
            if (has_given_up) return;
            continue;
        }
        if (n <= 0) return;
        text += n;
        size -= (size_t)n;
    }
}

long os_directory(char *buffer, size_t size) {
    return call3(SYS_getcwd, (long)buffer, (long)size, 0);
}

int os_executable(const char *path) {
    struct stat status;
    return call4(SYS_newfstatat, AT_FDCWD, (long)path, (long)&status, 0) == 0 &&
           S_ISREG(status.st_mode) && call3(SYS_faccessat, AT_FDCWD, (long)path, X_OK) == 0;
}

int os_same_file(const char *a, const char *b) {
    struct stat one, other;
    return call4(SYS_newfstatat, AT_FDCWD, (long)a, (long)&one, 0) == 0 &&
           call4(SYS_newfstatat, AT_FDCWD, (long)b, (long)&other, 0) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* ---- sockets ---- */

int os_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = wh_length(path);
    if (length >= sizeof address.sun_path) return -ENAMETOOLONG;
    wh_copy(address.sun_path, path, length);
    int made = (int)call3(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (made < 0) return made;
    long result;
    do result = call3(SYS_connect, made, (long)&address, sizeof address);
    while (result == -EINTR);
    if (!os_failed(result)) return made;
    os_close(made);
    return (int)result;
}

long os_send(int socket, const void *message, size_t size) {
    long n;
    do n = call6(SYS_sendto, socket, (long)message, (long)size, MSG_NOSIGNAL, 0, 0);
    while (n == -EINTR);
    return n;
}

long os_receive(int socket, void *buffer, size_t size) { return os_read(socket, buffer, size); }

/* ---- processes and threads ---- */

uint32_t os_process(void) {
    long number = call3(SYS_getpid, 0, 0, 0);
    return os_failed(number) ? process_then : (uint32_t)number;
}

uint32_t os_thread(void) {
    long number = call3(SYS_gettid, 0, 0, 0);
    if (!os_failed(number)) return (uint32_t)number;
    return library_tells ? told_by_library() : thread_then;
}

void os_forked(void) { process_then = thread_then = os_thread(); }

uint32_t os_parent(void) { return (uint32_t)call3(SYS_getppid, 0, 0, 0); }

void os_rename(const char *name) { call3(SYS_prctl, PR_SET_NAME, (long)name, 0); }

long os_execute(const char *path, char *const *arguments, char *const *environment) {
    return call3(SYS_execve, (long)path, (long)arguments, (long)environment);
}

long os_execute_file(int file, char *const *arguments, char *const *environment) {
    return call6(SYS_execveat, file, (long)"", (long)arguments, (long)environment, AT_EMPTY_PATH,
                 0);
}

_Noreturn void os_exit(int status) {
    long number = os_may(SYS_exit_group) || !os_may(SYS_exit) ? SYS_exit_group : SYS_exit;
    for (;;) {
        os_pass(number, status, 0, 0, 0, 0, 0);
        __asm__ volatile("hlt"); /* refused: no call is left that ends the process */
    }
}

long os_signal_process(uint32_t process, int signal) { return call3(SYS_kill, process, signal, 0); }

long os_signal_thread(uint32_t process, uint32_t thread, int signal) {
    return call3(SYS_tgkill, process, thread, signal);
}

static int has_limit(int resource) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    call4(SYS_prlimit64, 0, resource, 0, (long)&limit);
    return limit.rlim_cur != RLIM_INFINITY;
}

int os_memory_limited(void) { return has_limit(RLIMIT_DATA) || has_limit(RLIMIT_AS); }

uint64_t os_stack_limit(void) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    call4(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit);
    return limit.rlim_cur;
}

int os_raise_stack_limit(uint64_t wanted) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    call4(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit);
    if (wanted > limit.rlim_max) wanted = limit.rlim_max;
    if (wanted <= limit.rlim_cur) return 0;
    limit.rlim_cur = wanted;
    return call4(SYS_prlimit64, 0, RLIMIT_STACK, (long)&limit, 0) == 0;
}

void os_sleep_us(uint64_t microseconds) {
    struct timespec wait = {(time_t)(microseconds / 1000000),
                            (long)(microseconds % 1000000) * 1000};
    call3(SYS_nanosleep, (long)&wait, 0, 0);
}

static uint64_t clock_us(clockid_t clock) {
    struct timespec now = {0, 0};
    call3(SYS_clock_gettime, clock, (long)&now, 0);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t os_now_us(void) { return clock_us(CLOCK_MONOTONIC); }

uint64_t os_cpu_us(void) { return clock_us(CLOCK_PROCESS_CPUTIME_ID); }

void os_futex_wait(uint32_t *word, uint32_t expected, uint64_t microseconds) {
    struct timespec wait = {(time_t)(microseconds / 1000000),
                            (long)(microseconds % 1000000) * 1000};
    call4(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, expected, microseconds ? (long)&wait : 0);
}

void os_futex_wake(uint32_t *word) { call3(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, INT32_MAX); }

long os_alternate_stack(const struct os_stack *set, struct os_stack *old) {
    return call3(SYS_sigaltstack, (long)set, (long)old, 0);
}

long os_block_signals(uint64_t mask, uint64_t *old) {
    return call4(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, (long)&mask, (long)old, 8);
}

long os_restore_signals(uint64_t mask) {
    return call4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, (long)&mask, 0, 8);
}

/* ---- locks ---- */

void os_lock_wait(struct os_lock *lock) {
    for (int spin = 0; spin < 64; spin++) {
        uint32_t free = 0;
        if (__atomic_compare_exchange_n(&lock->word, &free, 1, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return;
        __builtin_ia32_pause();
    }
    while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE) != 0)
        os_futex_wait(&lock->word, 2, 0);
}
