/* More small blocks than may be resident: one way for each argument, all of them clean; "beyond",
 * "before" and "freed" are bugs at a packed block, clean with a second argument. */
#include <errno.h>
#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(x)                                                                                   \
    do                                                                                             \
        if (!(x)) return __LINE__;                                                                 \
    while (0)

#ifndef COUNT
#define COUNT 3000
#endif

static unsigned char *blocks[COUNT];
static unsigned sizes[COUNT], fills[COUNT];

static void make(int i, unsigned size, unsigned fill) {
    blocks[i] = malloc(size);
    memset(blocks[i], (int)(fill & 255), size);
    sizes[i] = size, fills[i] = fill & 255;
}

static int is_kept(int i) {
    for (unsigned at = 0; at < sizes[i]; at++)
        if (blocks[i][at] != fills[i]) return 0;
    return 1;
}

/* Whatever was made before is packed then. */
static void make_all(void) {
    for (int i = 0; i < COUNT; i++) make(i, 1 + i * 7 % 300, i);
}

static int all_kept(void) {
    for (int i = 0; i < COUNT; i++) CHECK(is_kept(i));
    return 0;
}

static uint64_t state = 88172645463325252ull;
static unsigned next(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)(state >> 33);
}

static int contents(void) {
    make_all();
    for (int round = 0; round < 20000; round++) {
        int i = next() % COUNT;
        CHECK(is_kept(i));
        switch (next() % 4) {
        case 0:
            free(blocks[i]);
            make(i, 1 + next() % 1200, next());
            break;
        case 1: {
            unsigned size = 1 + next() % 1200, kept = size < sizes[i] ? size : sizes[i];
            blocks[i] = realloc(blocks[i], size);
            sizes[i] = kept;
            CHECK(is_kept(i));
            memset(blocks[i], fills[i], sizes[i] = size);
            break;
        }
        case 2:
            memset(blocks[i], fills[i] = next() & 255, sizes[i]);
            break;
        default: break;
        }
    }
    CHECK(all_kept() == 0);
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
    return 0;
}

static int system_calls(void) {
    int *ends = malloc(2 * sizeof *ends), *waiting = malloc(sizeof *waiting);
    char *from = malloc(500), *to = malloc(500), *path = strdup("/"), *here = malloc(1000);
    struct iovec *parts = malloc(COUNT / 3 * sizeof *parts);
    struct stat *status = malloc(sizeof *status);
    struct winsize *window = malloc(sizeof *window);
    struct timespec *time = malloc(sizeof *time);
    struct pollfd *polled = malloc(sizeof *polled);
    CHECK(pipe(ends) == 0);
    int in = ends[0], out = ends[1];
    memset(from, 'x', 500);
    make_all();
    CHECK(write(out, from, 500) == 500 && ioctl(in, FIONREAD, waiting) == 0);
    make_all();
    CHECK(read(in, to, 500) == 500 && *waiting == 500 && !memcmp(from, to, 500));
    make_all();
    CHECK(getcwd(here, 1000) && here[0] == '/');
    make_all();
    CHECK(stat(path, status) == 0 && S_ISDIR(status->st_mode));
    CHECK(ioctl(in, TIOCGWINSZ, window) < 0 && errno == ENOTTY);
    CHECK(clock_gettime(CLOCK_MONOTONIC, time) == 0 && syscall(SYS_clock_gettime, 1, time) == 0);
    long bytes = 0;
    for (int i = 0; i < COUNT / 3; i++) parts[i] = (struct iovec){blocks[i], sizes[i] % 50}, bytes += sizes[i] % 50;
    make_all();
    CHECK(writev(out, parts, COUNT / 3) == bytes);
    make_all();
    CHECK(readv(in, parts, COUNT / 3) == bytes && all_kept() == 0);
    polled->fd = in, polled->events = POLLIN;
    make_all();
    CHECK(poll(polled, 1, 0) == 0 && write(out, from, 1) == 1);
    make_all();
    CHECK(poll(polled, 1, 0) == 1 && polled->revents == POLLIN);
    CHECK(write(out, (void *)16, 1) < 0 && errno == EFAULT);
    return 0;
}

static long wrong;
static void *read_all(void *seed) {
    uint64_t own = (uintptr_t)seed;
    for (int round = 0; round < COUNT; round++) {
        own = own * 6364136223846793005u + 1442695040888963407u;
        int i = (own >> 33) % COUNT;
        if (!is_kept(i)) __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
        char *mine = malloc(20);
        memset(mine, round, 20);
        if (mine[19] != (char)round) __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
        free(mine);
    }
    return NULL;
}

static long *counters[COUNT];
static void *count_up(void *unused) {
    (void)unused;
    for (int round = 0; round < 3 * COUNT; round++)
        __atomic_add_fetch(counters[round % COUNT], 1, __ATOMIC_RELAXED);
    return NULL;
}

/* Begun when packing has, and before. */
static int in_threads(int late) {
    pthread_t *ids = malloc(4 * sizeof *ids);
    if (!late) make_all();
    for (int i = 0; i < COUNT; i++) counters[i] = calloc(1, sizeof *counters[i]);
    if (late) make_all();
    for (long i = 0; i < 4; i++) CHECK(pthread_create(&ids[i], NULL, read_all, (void *)(i + 1)) == 0);
    for (int i = 0; i < 4; i++) CHECK(pthread_join(ids[i], NULL) == 0);
    CHECK(wrong == 0);
    for (long i = 0; i < 4; i++) CHECK(pthread_create(&ids[i], NULL, count_up, NULL) == 0);
    for (int i = 0; i < 4; i++) CHECK(pthread_join(ids[i], NULL) == 0);
    for (int i = 0; i < COUNT; i++) CHECK(*counters[i] == 12);
    return all_kept();
}

static void *nothing(void *unused) { return unused; }

static int threads(void) { return in_threads(1); }
static int threads_first(void) {
    pthread_t id;
    CHECK(pthread_create(&id, NULL, nothing, NULL) == 0 && pthread_join(id, NULL) == 0);
    return in_threads(0);
}

static int *ends;
static pthread_mutex_t *mutex;
static void unlock(void *unused) { pthread_mutex_unlock(mutex); }
static void *wait_for_ever(void *buffer) {
    pthread_mutex_lock(mutex);
    pthread_cleanup_push(unlock, NULL);
    read(ends[0], buffer, 10);
    pthread_cleanup_pop(1);
    return NULL;
}

static int cancelling(void) {
    pthread_t *id = malloc(sizeof *id);
    void *result = NULL, *buffer = malloc(10);
    ends = malloc(2 * sizeof *ends);
    mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    CHECK(pipe(ends) == 0);
    make_all();
    CHECK(pthread_create(id, NULL, wait_for_ever, buffer) == 0 && all_kept() == 0);
    CHECK(pthread_cancel(*id) == 0 && pthread_join(*id, &result) == 0);
    CHECK(result == PTHREAD_CANCELED && pthread_mutex_lock(mutex) == 0);
    return 0;
}

static int children(void) {
    char **words = malloc(4 * sizeof *words);
    words[0] = strdup("sh"), words[1] = strdup("-c"), words[2] = strdup("exit 9"), words[3] = NULL;
    int status;
    make_all();
    for (int way = 0; way < 2; way++) {
        pid_t child = way ? (pid_t)syscall(SYS_fork) : fork();
        if (child == 0) {
            if (all_kept()) _exit(1);
            for (int i = 0; i < COUNT; i++) blocks[i][0] = (unsigned char)~fills[i];
            struct stat *here = malloc(sizeof *here);
            char *path = strdup("/");
            for (int i = 0; i < COUNT; i++)
                if (blocks[i][0] != (unsigned char)~fills[i]) _exit(2);
            _exit(stat(path, here) == 0 ? 5 : 3);
        }
        CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
    }
    CHECK(all_kept() == 0);
    pid_t child;
    CHECK(posix_spawnp(&child, words[0], NULL, NULL, words, NULL) == 0);
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 9 && all_kept() == 0);
    CHECK(WEXITSTATUS(system("exit 7")) == 7 && all_kept() == 0);
    child = vfork();
    if (child == 0) {
        execvp(words[0], words);
        _exit(1);
    }
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 9 && all_kept() == 0);
    child = fork();
    if (child == 0) {
        execvp(words[0], words);
        _exit(1);
    }
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 9);
    return 0;
}

static volatile int alarms;
static void on_alarm(int number) {
    (void)number;
    int i = alarms++ * 37 % COUNT;
    if (!is_kept(i)) wrong++;
}

/* Handlers use packed blocks, with everything blocked that can be. */
static int signals(void) {
    struct sigaction action = {.sa_handler = on_alarm};
    sigset_t *mask = malloc(sizeof *mask), *before = malloc(sizeof *before);
    struct itimerval timer = {{0, 300}, {0, 300}};
    sigfillset(&action.sa_mask);
    CHECK(sigaction(SIGALRM, &action, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    sigfillset(mask);
    CHECK(sigprocmask(SIG_SETMASK, mask, before) == 0);
    make_all();
    CHECK(all_kept() == 0 && sigprocmask(SIG_SETMASK, before, NULL) == 0);
    CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
    while (alarms < 50) CHECK(all_kept() == 0);
    timer = (struct itimerval){{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0 && wrong == 0);
    sigfillset(mask);
    CHECK(sigprocmask(SIG_SETMASK, mask, NULL) == 0 && raise(SIGUSR1) == 0);
    sigdelset(mask, SIGUSR1);
    make_all();
    CHECK(ppoll(NULL, 0, NULL, mask) < 0 && errno == EINTR && wrong == 0);
    return 0;
}

static int faults;
static void on_fault(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    faults++;
    ((uint64_t *)context)[21] += 2; /* uc_mcontext.gregs[REG_RIP]: behind the read */
}

/* The program's own handler sees its own faults only. */
static int own_faults(void) {
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    make_all();
    CHECK(all_kept() == 0 && faults == 0);
    __asm__ volatile(".byte 0x8a, 0x00" : : "a"(0x20000) : "memory"); /* mov (%rax), %al */
    CHECK(faults == 1 && all_kept() == 0);
    return 0;
}

static int leaks(void) {
    void **list = NULL;
    for (int i = 0; i < COUNT; i++) {
        void **block = malloc(16 + i % 100);
        *block = list;
        list = block;
    }
    blocks[0] = (unsigned char *)list; /* leads to all of them, through packed ones */
    return 0;
}

/* Prints the peak of resident memory. */
static int peak(void) {
    char line[200];
    make_all();
    CHECK(all_kept() == 0);
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, "VmHWM:", 6)) fputs(line, stdout);
    return status ? fclose(status) : 1;
}

static volatile char sink;
static int bug(const char *name, int clean) {
    char *block = calloc(1, 32);
    make_all();
    if (!strcmp(name, "beyond")) sink = block[clean ? 31 : 32];
    if (!strcmp(name, "before")) block[clean ? 0 : -2] = 1;
    if (!strcmp(name, "before")) make_all();
    if (!strcmp(name, "freed") && clean) sink = block[5];
    free(block);
    if (!strcmp(name, "freed") && !clean) sink = block[5];
    return 0;
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        int (*run)(void);
    } ways[] = {
        {"contents", contents},
        {"system-calls", system_calls},
        {"threads", threads},
        {"threads-first", threads_first},
        {"cancelling", cancelling},
        {"children", children},
        {"signals", signals},
        {"own-faults", own_faults},
        {"leaks", leaks},
        {"peak", peak},
    };
    for (size_t i = 0; count > 1 && i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(words[1], ways[i].name)) {
            int line = ways[i].run();
            if (line) printf("line %d\n", line);
            return line != 0;
        }
    return count > 1 ? bug(words[1], count > 2) : 2;
}
