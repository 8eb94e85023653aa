/* One way to hold, lose or look for blocks for each argument. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>
#include <whence/leak.h>

#define NOINLINE __attribute__((noinline))
#define IS(name) (!strcmp(mode, name))

static const char *mode;
static void *volatile kept;
static __thread void *of_thread;
static pthread_barrier_t meeting;
static pthread_key_t keys[64];

NOINLINE static void lose(size_t size) {
    void *volatile p = malloc(size);
    p = NULL;
    (void)p;
}

NOINLINE static void clean(void) {
    volatile char area[8192];
    memset((char *)area, 0, sizeof area);
}

static void *wait_for_signals(void *set) {
    void *volatile mine = malloc(70);
    of_thread = malloc(71);
    pthread_barrier_wait(&meeting);
    for (;;) {
        int number = 0;
        sigwait(set, &number);
        printf("signal %d\n", number);
    }
    return mine;
}

static void *spin(void *unused) {
    void *volatile mine = malloc(72);
    volatile unsigned long turns = 0;
    pthread_barrier_wait(&meeting);
    for (;;) turns++;
    (void)unused;
    return mine;
}

static void *churn(void *unused) {
    pthread_barrier_wait(&meeting);
    for (;;) free(realloc(malloc(24), 200));
    return unused;
}

static void *last(void *unused) {
    usleep(100000);
    lose(73);
    (void)unused;
    return NULL;
}

static void start(void *(*function)(void *), void *argument, int count) {
    pthread_t thread;
    pthread_barrier_init(&meeting, NULL, (unsigned)count + 1);
    for (int i = 0; i < count; i++) pthread_create(&thread, NULL, function, argument);
    pthread_barrier_wait(&meeting);
}

static void on_signal(int number) {
    (void)number;
    static const char text[] = "handler\n";
    if (write(1, text, sizeof text - 1) < 0) _exit(8);
}

NOINLINE static void leave(void (*how)(int)) {
    void *volatile mine = malloc(74);
    (void)mine;
    how(0);
}

/* sanitizer/lsan_interface.h is not on every machine. */
void __lsan_do_leak_check(void) __attribute__((weak));
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));
void __lsan_ignore_object(const void *) __attribute__((weak));
void __lsan_register_root_region(const void *, size_t) __attribute__((weak));

NOINLINE static void lose_structure(void) {
    void **volatile head = calloc(1, 80);
    head[0] = calloc(1, 90);
    head = NULL;
    (void)head;
}

NOINLINE static void **file_page(void) {
    FILE *file = tmpfile();
    if (!file || ftruncate(fileno(file), 4096)) exit(9);
    void **page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    fclose(file);
    page[3] = malloc(10);
    return page;
}

int main(int argc, char **argv) {
    (void)argc;
    mode = argv[1];
    if (IS("nothing")) {
        printf("%zu\n", whence_leak_check());
        printf("%zu %zu\n", whence_leak_counts().definite_blocks, whence_leak_counts().reachable_bytes);
        printf("%d\n", whence_leak_ignore(&mode));
        whence_leak_disable();
        whence_leak_enable();
        whence_leak_add_root(&mode, sizeof mode);
        whence_leak_remove_root(&mode, sizeof mode);
    }
    if (IS("request")) {
        kept = malloc(1000);
        lose(10);
        printf("%zu\n", whence_leak_check());
        printf("%zu\n", whence_leak_check());
        lose(20);
        lose_structure();
        printf("%zu\n", whence_leak_check());
        struct whence_leak_counts counts = whence_leak_counts();
        printf("%zu %zu, %zu %zu, %zu\n", counts.definite_blocks, counts.definite_bytes,
               counts.indirect_blocks, counts.indirect_bytes, counts.reachable_bytes);
        lose(30);
    }
    if (IS("excused")) {
        whence_leak_disable();
        lose(10);
        whence_leak_disable();
        whence_leak_enable();
        lose_structure();
        whence_leak_enable();
        void *volatile p = malloc(20);
        printf("%d %d\n", whence_leak_ignore((char *)p + 5), whence_leak_ignore(&p));
        p = NULL;
        lose(30);
    }
    if (IS("lsan")) {
        __lsan_disable();
        lose(10);
        __lsan_enable();
        void *volatile p = malloc(20);
        __lsan_ignore_object((void *)p);
        p = NULL;
        __lsan_register_root_region(file_page(), 4096);
        printf("%d\n", __lsan_do_recoverable_leak_check());
        lose(30);
        printf("%d\n", __lsan_do_recoverable_leak_check());
        lose(40);
        fflush(stdout);
        __lsan_do_leak_check();
        puts("went on");
        lose(50);
    }
    if (IS("sigwait")) { /* all signals are blocked, and waited for */
        static sigset_t set;
        sigfillset(&set);
        pthread_sigmask(SIG_BLOCK, &set, NULL);
        start(wait_for_signals, &set, 2);
        lose(10);
        printf("%zu\n", whence_leak_check());
        lose(11);
    }
    if (IS("spin")) {
        start(spin, NULL, 3);
        printf("%zu\n", whence_leak_check());
        lose(10);
    }
    if (IS("churn")) {
        start(churn, NULL, 3);
        for (int i = 0; i < 40; i++)
            if (whence_leak_check()) puts("false");
        lose(10);
    }
    if (IS("specific"))
        for (int i = 0; i < 64; i++) {
            pthread_key_create(&keys[i], NULL);
            pthread_setspecific(keys[i], malloc(100));
        }
    if (IS("main-ends")) {
        pthread_t thread;
        pthread_create(&thread, NULL, last, NULL);
        pthread_detach(thread);
        void *volatile mine = malloc(75);
        (void)mine;
        pthread_exit(NULL);
    }
    if (IS("exit")) leave(exit);
    if (IS("quick")) { lose(10); leave(quick_exit); }
    if (IS("at-once")) { lose(10); leave(_exit); }
    if (IS("handled")) signal(SIGUSR1, on_signal);
    if (IS("signal") || IS("handled")) {
        lose(10);
        clean();
        puts("ready");
        fflush(stdout);
        char c;
        while (read(0, &c, 1) == 1 && c != 'q')
            if (c == 'l') { lose(20); clean(); puts("lost"); fflush(stdout); }
    }
    if (IS("searching")) {
        pthread_t thread;
        pthread_barrier_init(&meeting, NULL, 2);
        pthread_create(&thread, NULL, churn, NULL);
        pthread_barrier_wait(&meeting);
        printf("%d\n", (int)getpid());
        fflush(stdout);
        for (;;) whence_leak_check();
    }
    if (IS("epoll")) {
        int ends[2], queue = epoll_create1(0);
        struct epoll_event event = {EPOLLIN, {.ptr = malloc(10)}}, other = event;
        if (pipe(ends) || epoll_ctl(queue, EPOLL_CTL_ADD, ends[0], &event)) return 8;
        other.data.ptr = malloc(20);
        other.events = EPOLLOUT;
        if (epoll_ctl(queue, EPOLL_CTL_ADD, ends[1], &other)) return 8;
        memset(&event, 0, sizeof event);
        epoll_ctl(queue, EPOLL_CTL_DEL, ends[1], NULL);
        memset(&other, 0, sizeof other);
    }
    if (IS("read-only")) {
        void **page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        page[3] = malloc(10);
        mprotect(page, 4096, PROT_READ);
    }
    if (IS("shared")) {
        void **page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        page[3] = malloc(10);
    }
    if (IS("region")) {
        void **page = file_page();
        whence_leak_add_root(page, 4096);
        printf("%zu\n", whence_leak_check());
        whence_leak_remove_root(page, 4096);
    }
    clean();
    return 0;
}
