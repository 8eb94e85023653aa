// Locks of all kinds, used as they allow it: errors asked for, forks, cancellation, half a pair unseen.
// RUN: cflags -pthread
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void *other_unlock(void *m) { return (void *)(long)pthread_mutex_unlock(m); }
static void *die_holding(void *m) {
    pthread_mutex_lock(m);
    return 0;
}
static pthread_mutex_t global = PTHREAD_MUTEX_INITIALIZER,
                       g2 = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static void prep(void) { pthread_mutex_lock(&global); }
static void rel(void) { pthread_mutex_unlock(&global); }
static pthread_mutex_t inherited = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem, held;
static void *hold_for_fork(void *x) {
    pthread_mutex_lock(&inherited);
    sem_post(&held);
    sem_wait(&sem);
    pthread_mutex_unlock(&inherited);
    return x;
}
static void *self_detach(void *x) {
    pthread_detach(pthread_self());
    sem_post(x);
    return 0;
}
static void expire(union sigval v) {
    pthread_mutex_lock(&g2);
    pthread_mutex_unlock(&g2);
    sem_post(v.sival_ptr);
}
static void *waiter(void *x) {
    void **a = x;
    pthread_mutex_lock(a[0]);
    pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, a[0]);
    sem_post(a[2]);
    for (;;) pthread_cond_wait(a[1], a[0]);
    pthread_cleanup_pop(1);
    return 0;
}
static pthread_key_t key;
static void unlock_late(void *m) {
    static __thread int n;
    if (n++ < 2)
        pthread_setspecific(key, m);
    else
        pthread_mutex_unlock(m);
}
static void *lock_with_key(void *m) {
    pthread_mutex_lock(m);
    pthread_setspecific(key, m);
    return 0;
}
static void *tryer(void *m) {
    long e = pthread_mutex_trylock(m);
    if (!e) pthread_mutex_unlock(m);
    return (void *)e;
}
static void handler(int n) {
    (void)n;
    sem_post(&sem);
}
int main(void) {
    pthread_t t;
    void *r;
    pthread_mutexattr_t a;
    pthread_mutex_t m;
    struct timespec now;
    // errorcheck
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &a);
    assert(pthread_mutex_unlock(&m) == EPERM);
    pthread_mutex_lock(&m);
    assert(pthread_mutex_lock(&m) == EDEADLK);
    pthread_create(&t, 0, other_unlock, &m);
    pthread_join(t, &r);
    assert((long)r == EPERM);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    // recursive
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &a);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    assert(pthread_mutex_unlock(&m) == EPERM);
    pthread_mutex_destroy(&m);
    // robust
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_NORMAL);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &a);
    pthread_create(&t, 0, die_holding, &m);
    pthread_join(t, 0);
    assert(pthread_mutex_lock(&m) == EOWNERDEAD);
    pthread_mutex_consistent(&m);
    pthread_mutex_unlock(&m);
    assert(pthread_mutex_unlock(&m) == EPERM);
    pthread_mutex_destroy(&m);
    // PI
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_STALLED);
    pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&m, &a);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    // pshared with fork
    pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_NONE);
    pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
    struct sh {
        pthread_mutex_t m;
        pthread_cond_t c;
        sem_t s;
        int n;
    } *sh = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutex_init(&sh->m, &a);
    pthread_condattr_t ca;
    pthread_condattr_init(&ca);
    pthread_condattr_setpshared(&ca, 1);
    pthread_cond_init(&sh->c, &ca);
    sem_init(&sh->s, 1, 0);
    pid_t p = fork();
    if (!p) {
        pthread_mutex_lock(&sh->m);
        sh->n = 1;
        pthread_cond_signal(&sh->c);
        pthread_mutex_unlock(&sh->m);
        sem_post(&sh->s);
        _exit(0);
    }
    pthread_mutex_lock(&sh->m);
    while (!sh->n) pthread_cond_wait(&sh->c, &sh->m);
    pthread_mutex_unlock(&sh->m);
    sem_wait(&sh->s);
    waitpid(p, 0, 0);
    pthread_mutex_destroy(&sh->m);
    pthread_cond_destroy(&sh->c);
    sem_destroy(&sh->s);
    munmap(sh, 4096);
    // atfork
    pthread_atfork(prep, rel, rel);
    sem_init(&sem, 0, 0);
    sem_init(&held, 0, 0);
    pthread_create(&t, 0, hold_for_fork, 0);
    sem_wait(&held);
    p = fork();
    if (!p) { // reinit what another thread of the parent holds, unlock what this one held
        pthread_mutex_destroy(&inherited);
        pthread_mutex_init(&inherited, 0);
        pthread_mutex_lock(&inherited);
        pthread_mutex_unlock(&inherited);
        pthread_mutex_lock(&global);
        pthread_mutex_unlock(&global);
        pthread_create(&t, 0, tryer, &global);
        pthread_join(t, &r);
        exit(r != 0);
    }
    int st;
    waitpid(p, &st, 0);
    printf("child %x\n", st);
    p = fork();
    if (!p) {
        pthread_mutex_unlock(&inherited);
        exit(0);
    }
    waitpid(p, &st, 0);
    printf("child %x\n", st);
    pthread_mutex_lock(&g2);
    p = fork();
    if (!p) {
        pthread_mutex_unlock(&g2);
        pthread_mutex_lock(&g2);
        pthread_mutex_unlock(&g2);
        exit(0);
    }
    waitpid(p, &st, 0);
    printf("child %x\n", st);
    pthread_mutex_unlock(&g2);
    sem_post(&sem);
    pthread_join(t, 0);
    // trylock busy
    pthread_mutex_lock(&global);
    pthread_create(&t, 0, tryer, &global);
    pthread_join(t, &r);
    assert((long)r == EBUSY);
    assert(pthread_mutex_trylock(&global) == EBUSY);
    clock_gettime(CLOCK_REALTIME, &now);
    assert(pthread_mutex_timedlock(&global, &now) == ETIMEDOUT);
    pthread_mutex_unlock(&global);
    // self detach
    pthread_create(&t, 0, self_detach, &sem);
    sem_wait(&sem);
    // SIGEV_THREAD
    timer_t timer;
    struct sigevent se = {.sigev_notify = SIGEV_THREAD,
                          .sigev_notify_function = expire,
                          .sigev_value.sival_ptr = &sem};
    struct itimerspec its = {{0, 0}, {0, 1000000}};
    for (int i = 0; i < 3; i++) {
        timer_create(CLOCK_MONOTONIC, &se, &timer);
        timer_settime(timer, 0, &its, 0);
        while (sem_wait(&sem));
        timer_delete(timer);
    }
    // cancel in wait
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    pthread_mutex_t lm = PTHREAD_MUTEX_INITIALIZER;
    void *arg[] = {&lm, &c, &sem};
    pthread_create(&t, 0, waiter, arg);
    sem_wait(&sem);
    pthread_cancel(t);
    pthread_join(t, &r);
    assert(r == PTHREAD_CANCELED);
    pthread_cond_destroy(&c);
    pthread_mutex_lock(&lm);
    pthread_mutex_unlock(&lm);
    // key destructors unlock in the third round
    pthread_key_create(&key, unlock_late);
    pthread_create(&t, 0, lock_with_key, &lm);
    pthread_join(t, 0);
    assert(!pthread_mutex_trylock(&lm));
    pthread_mutex_unlock(&lm);
    // bypass: half of the pair unseen
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    int (*ul)(void *) = dlsym(libc, "pthread_mutex_unlock"),
                   (*lk)(void *) = dlsym(libc, "pthread_mutex_lock");
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lm);
        ul(&lm);
        pthread_mutex_lock(&lm);
        ul(&lm);
        lk(&lm);
        pthread_mutex_unlock(&lm);
        lk(&lm);
        pthread_mutex_unlock(&lm);
    }
    pthread_mutex_destroy(&lm);
    // memory reuse
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_t *h = calloc(1, sizeof *h);
        pthread_rwlock_t *w = malloc(sizeof *w);
        sem_t *s = malloc(sizeof *s);
        pthread_barrier_t *b = malloc(sizeof *b);
        pthread_spinlock_t sp;
        pthread_mutex_lock(h);
        pthread_mutex_unlock(h);
        pthread_mutex_destroy(h);
        *h = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_lock(h);
        pthread_mutex_unlock(h);
        if (i & 1) pthread_mutex_destroy(h);
        pthread_rwlock_init(w, 0);
        pthread_rwlock_rdlock(w);
        pthread_rwlock_tryrdlock(w);
        pthread_rwlock_unlock(w);
        pthread_rwlock_unlock(w);
        pthread_rwlock_wrlock(w);
        assert(pthread_rwlock_trywrlock(w));
        assert(pthread_rwlock_tryrdlock(w));
        pthread_rwlock_unlock(w);
        pthread_rwlock_destroy(w);
        *w = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
        pthread_rwlock_wrlock(w);
        pthread_rwlock_unlock(w);
        pthread_rwlock_destroy(w);
        memset(w, 0, sizeof *w);
        pthread_rwlock_rdlock(w);
        pthread_rwlock_unlock(w);
        pthread_rwlock_init(w, 0);
        pthread_rwlock_rdlock(w);
        pthread_rwlock_unlock(w);
        pthread_rwlock_destroy(w);
        sem_init(s, 0, 1);
        sem_wait(s);
        assert(sem_trywait(s));
        sem_post(s);
        sem_destroy(s);
        sem_init(s, 0, 1);
        sem_wait(s);
        sem_destroy(s);
        pthread_barrier_init(b, 0, 1);
        pthread_barrier_wait(b);
        pthread_barrier_wait(b);
        pthread_barrier_destroy(b);
        pthread_barrier_init(b, 0, 1);
        pthread_barrier_wait(b);
        pthread_barrier_destroy(b);
        pthread_spin_init(&sp, 0);
        pthread_spin_lock(&sp);
        assert(pthread_spin_trylock(&sp));
        pthread_spin_unlock(&sp);
        pthread_spin_destroy(&sp);
        free(h);
        free(w);
        free(s);
        free(b);
    }
    // post in a handler
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    sem_wait(&sem);
    puts("done");
    return 0;
}
