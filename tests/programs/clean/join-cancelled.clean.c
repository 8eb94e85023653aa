// A thread that is cancelled while it joins another one releases what that waits for.
// RUN: cflags -pthread
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
#include <stdio.h>
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static pthread_t b;
static sem_t s;
static void *bb(void *x) {
    usleep(100000);
    pthread_mutex_lock(&l);
    pthread_mutex_unlock(&l);
    return x;
}
static void clean(void *x) {
    usleep(300000);
    pthread_mutex_unlock(x);
    puts("released");
}
static void *aa(void *x) {
    pthread_mutex_lock(&l);
    pthread_cleanup_push(clean, &l);
    sem_post(&s);
    pthread_join(b, 0);
    pthread_cleanup_pop(1);
    return x;
}
int main(void) {
    pthread_t a;
    sem_init(&s, 0, 0);
    pthread_create(&b, 0, bb, 0);
    pthread_create(&a, 0, aa, 0);
    sem_wait(&s);
    usleep(20000);
    pthread_cancel(a);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
