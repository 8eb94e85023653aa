/* What closed blocks meet: one way for each argument; all of them are clean. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <immintrin.h>

#define CHECK(x)                                                                                   \
    do                                                                                             \
        if (!(x)) return __LINE__;                                                                 \
    while (0)

static int system_calls(void) {
    int *ends = calloc(2, sizeof *ends);
    char *from = calloc(1, 6000), *to = malloc(6000), *path = strdup("/");
    struct iovec *parts = calloc(2, sizeof *parts);
    struct msghdr *message = calloc(1, sizeof *message);
    struct stat *status = malloc(sizeof *status);
    memset(from, 'x', 6000);
    CHECK(pipe(ends) == 0 && write(ends[1], from, 6000) == 6000 && read(ends[0], to, 6000) == 6000);
    CHECK(!memcmp(from, to, 6000));
    parts[0] = (struct iovec){from, 10};
    parts[1] = (struct iovec){to, 20};
    CHECK(writev(ends[1], parts, 2) == 30 && readv(ends[0], parts, 2) == 30);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    message->msg_iov = parts;
    message->msg_iovlen = 2;
    CHECK(sendmsg(ends[0], message, 0) == 30 && recvmsg(ends[1], message, 0) == 30);
    CHECK(stat(path, status) == 0 && S_ISDIR(status->st_mode));
    CHECK(write(ends[0], (void *)16, 1) < 0 && errno == EFAULT);
    free(ends), free(from), free(to), free(path), free(parts), free(message), free(status);
    return 0;
}

static int instructions(void) {
    uint8_t *from = malloc(5000), *to = malloc(5000);
    float *floats = malloc(64 * sizeof *floats), *picked = malloc(8 * sizeof *picked);
    void *at = from;
    size_t count = 5000;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(count) : "a"(7) : "memory");
    const void *source = from;
    at = to, count = 625;
    __asm__ volatile("rep movsq" : "+D"(at), "+S"(source), "+c"(count) : : "memory");
    CHECK(to[0] == 7 && to[4999] == 7 && !memcmp(from, to, 5000));
    uint8_t *a = from, *b = to;
    __asm__ volatile("movsb" : "+D"(a), "+S"(b) : : "memory");
    CHECK(a == from + 1 && b == to + 1);
    __asm__ volatile("lock addl $3, (%0)" : : "r"(to) : "memory");
    CHECK(to[0] == 10);
    for (int i = 0; i < 64; i++) floats[i] = (float)i;
    if (__builtin_cpu_supports("avx2")) {
        __asm__ volatile("vpcmpeqd %%ymm2, %%ymm2, %%ymm2\n"
                         "vpxor %%ymm1, %%ymm1, %%ymm1\n"
                         "vgatherdps %%ymm2, (%0,%%ymm1,4), %%ymm0\n"
                         "vmovups %%ymm0, (%1)\n"
                         :
                         : "r"(floats + 5), "r"(picked)
                         : "memory", "ymm0", "ymm1", "ymm2");
        CHECK(picked[7] == 5);
    }
    free(from), free(to), free(floats), free(picked);
    return 0;
}

static int texts(void) {
    for (int size = 1; size < 200; size += 7) {
        char *p = malloc(size + 1), *q;
        memset(p, 'a', size);
        p[size] = 0;
        q = strdup(p);
        CHECK(strlen(p) == (size_t)size && !strcmp(p, q) && !strchr(q, 'b') && memchr(q, 0, size + 1));
        free(p), free(q);
    }
    return 0;
}

static long counter;
static void *work(void *shared) {
    for (int i = 0; i < 300; i++) {
        char *own = malloc(20 + i);
        memset(own, i, 20 + i);
        __atomic_add_fetch((long *)shared, own[5] == (char)i, __ATOMIC_RELAXED);
        free(own);
    }
    return NULL;
}

static int threads(void) {
    pthread_t *ids = malloc(4 * sizeof *ids);
    long *shared = calloc(1, sizeof *shared);
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&ids[i], NULL, work, shared) == 0);
    for (int i = 0; i < 4; i++) CHECK(pthread_join(ids[i], NULL) == 0);
    CHECK(*shared == 1200);
    free(ids), free(shared);
    return 0;
}

static int processes(void) {
    char *word = strdup("kept"), *line = malloc(100), **words = calloc(4, sizeof *words);
    pid_t *child = malloc(sizeof *child);
    int *status = malloc(sizeof *status);
    *child = fork();
    if (*child == 0) {
        word[0] = 'b';
        _exit(strcmp(word, "bept") ? 1 : 5);
    }
    CHECK(waitpid(*child, status, 0) == *child && WEXITSTATUS(*status) == 5 && word[0] == 'k');
    FILE *pipe = popen("echo spoken", "r");
    CHECK(pipe && fgets(line, 100, pipe) && !strcmp(line, "spoken\n") && pclose(pipe) == 0);
    CHECK(WEXITSTATUS(system(strcpy(line, "exit 7"))) == 7);
    words[0] = strdup("sh"), words[1] = strdup("-c"), words[2] = strdup("exit 9");
    CHECK(posix_spawnp(child, words[0], NULL, NULL, words, NULL) == 0);
    CHECK(waitpid(*child, status, 0) == *child && WEXITSTATUS(*status) == 9);
    *child = vfork();
    if (*child == 0) {
        execvp(words[0], words);
        _exit(1);
    }
    CHECK(waitpid(*child, status, 0) == *child && WEXITSTATUS(*status) == 9);
    for (int i = 0; i < 3; i++) free(words[i]);
    free(word), free(line), free(words), free(child), free(status);
    return 0;
}

static int *handled;
static void handle(int number) { *handled += number == SIGUSR1; }

static int *ticks;

static void tick(int number) {
    (void)number;
    ++*ticks;
}

/* Handlers that use closed blocks, between any two steps of what they interrupt. */
static int interruptions(void) {
    enum { ENOUGH = 300 };
    struct itimerval *soon = calloc(1, sizeof *soon);
    volatile int *used = calloc(64, sizeof *used);
    ticks = calloc(1, sizeof *ticks);
    soon->it_interval.tv_usec = soon->it_value.tv_usec = 150;
    signal(SIGALRM, tick);
    CHECK(setitimer(ITIMER_REAL, soon, NULL) == 0);
    for (unsigned i = 0; *(volatile int *)ticks < ENOUGH; i++) used[i % 64]++;
    soon->it_value.tv_usec = 0;
    CHECK(setitimer(ITIMER_REAL, soon, NULL) == 0);
    signal(SIGALRM, SIG_IGN);
    free(soon), free((void *)used), free(ticks);
    return 0;
}

static stack_t *on_it;

static void ask(int number) {
    stack_t other = {.ss_flags = SS_DISABLE};
    (void)number;
    *handled = sigaltstack(NULL, on_it) == 0 && sigaltstack(&other, NULL) == -1 && errno == EPERM ? 1 : -1;
}

/* A stack that is given up is not used any more: also where the call itself is handled on it. */
static int stacks(void) {
    stack_t *own = calloc(1, sizeof *own), *before = calloc(1, sizeof *before);
    handled = calloc(1, sizeof *handled);
    on_it = calloc(1, sizeof *on_it);
    own->ss_sp = malloc(own->ss_size = 65536);
    CHECK(sigaltstack(own, before) == 0);
    struct sigaction action = {.sa_handler = ask, .sa_flags = SA_ONSTACK};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    raise(SIGUSR1);
    CHECK(*handled == 1 && on_it->ss_flags == SS_ONSTACK && on_it->ss_sp == own->ss_sp);
    CHECK(sigaltstack(NULL, on_it) == 0 && on_it->ss_flags == 0 && on_it->ss_sp == own->ss_sp);
    on_it->ss_size = 2047;
    CHECK(sigaltstack(on_it, NULL) == -1 && errno == ENOMEM);
    on_it->ss_flags = 64;
    CHECK(sigaltstack(on_it, NULL) == -1 && errno == EINVAL);
    CHECK(sigaltstack(before, NULL) == 0 && sigaltstack(NULL, on_it) == 0);
    CHECK(on_it->ss_sp == before->ss_sp && on_it->ss_flags == before->ss_flags);
    memset(own->ss_sp, 0xff, own->ss_size);
    free(own->ss_sp);
    *handled = 3;
    CHECK(*handled == 3);
    free(own), free(before), free(on_it), free(handled);
    return 0;
}

static int signals(void) {
    stack_t *own = calloc(1, sizeof *own);
    sigset_t *mask = malloc(sizeof *mask);
    handled = calloc(1, sizeof *handled);
    own->ss_sp = malloc(own->ss_size = 65536);
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigfillset(&action.sa_mask);
    CHECK(sigaltstack(own, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    raise(SIGUSR1);
    CHECK(*handled == 1);
    sigfillset(mask);
    CHECK(sigprocmask(SIG_SETMASK, mask, mask) == 0);
    raise(SIGUSR1); /* waits; meanwhile blocks are used with everything blocked */
    CHECK(*handled == 1 && !sigismember(mask, SIGUSR1));
    CHECK(sigprocmask(SIG_SETMASK, mask, NULL) == 0 && *handled == 2);
    own->ss_flags = SS_DISABLE;
    CHECK(sigaltstack(own, NULL) == 0);
    /* what a child of fork does before it executes: every handler is the default again */
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    *handled = 3;
    CHECK(*handled == 3);
    free(own->ss_sp), free(own), free(mask), free(handled);
    return 0;
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        int (*run)(void);
    } ways[] = {
        {"system-calls", system_calls}, {"instructions", instructions}, {"texts", texts},
        {"threads", threads},           {"processes", processes},       {"signals", signals},
        {"interruptions", interruptions}, {"stacks", stacks},
    };
    for (size_t i = 0; count > 1 && i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(words[1], ways[i].name)) {
            int line = ways[i].run();
            if (line) printf("line %d\n", line);
            return line != 0;
        }
    return 2;
}
