// What orders threads in C: barriers, semaphores, locks of all kinds, pipes, single calls, keys.
// RUN: options --enable races
#include <pthread.h>
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t done;
static int ends[2], pair[2], sent, shared, spun, made, parts[3], ended;
static char text[32];

static void make(void) { made = 5; }

static void end(void *value) {
    free(value);
    pthread_spin_lock(&spin);
    ended++;
    pthread_spin_unlock(&spin);
}

static void *work(void *argument) {
    int *own = argument, sum = 0;
    pthread_once(&once, make);
    int *kept = malloc(sizeof *kept);
    if (!kept) abort();
    *kept = made;
    pthread_setspecific(key, kept);
    for (int i = 0; i < 50; i++) {
        pthread_rwlock_rdlock(&lock);
        sum += shared;
        pthread_rwlock_unlock(&lock);
    }
    pthread_rwlock_wrlock(&lock);
    shared++;
    pthread_rwlock_unlock(&lock);
    *own = sum >= 0 ? made : 0;
    pthread_barrier_wait(&barrier);
    int all = parts[0] + parts[1] + parts[2];
    pthread_barrier_wait(&barrier);
    *own = all;
    while (pthread_spin_trylock(&spin)) sched_yield();
    spun++;
    pthread_spin_unlock(&spin);
    sem_post(&done);
    return NULL;
}

static void *receive(void *unused) {
    char byte;
    struct pollfd waited = {.fd = pair[0], .events = POLLIN};
    (void)unused;
    if (read(ends[0], &byte, 1) != 1) abort();
    if (sent != 1) abort();
    sent = 2;
    if (send(pair[0], "x", 1, 0) != 1) abort();
    while (poll(&waited, 1, -1) != 1) continue;
    return strcmp(text, "written before the byte") ? text : NULL;
}

int main(void) {
    pthread_t threads[3], receiver;
    if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 2;
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_spin_init(&spin, 0);
    pthread_key_create(&key, end);
    sem_init(&done, 0, 0);
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, work, &parts[i])) return 2;
    for (int i = 0; i < 3; i++) sem_wait(&done);
    if (spun != 3 || parts[0] != 15) return 1;
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    if (ended != 3 || shared != 3) return 1;
    if (pthread_create(&receiver, NULL, receive, NULL)) return 2;
    sent = 1;
    if (write(ends[1], "x", 1) != 1) return 2;
    char byte;
    if (recv(pair[1], &byte, 1, 0) != 1 || sent != 2) return 1;
    strcpy(text, "written before the byte");
    if (send(pair[1], "y", 1, 0) != 1) return 2;
    void *result;
    pthread_join(receiver, &result);
    for (int i = 0; i < 2; i++) close(ends[i]), close(pair[i]);
    pthread_barrier_destroy(&barrier);
    pthread_spin_destroy(&spin);
    sem_destroy(&done);
    pthread_key_delete(key);
    return result != NULL;
}
