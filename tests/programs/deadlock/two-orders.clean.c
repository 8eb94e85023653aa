// A thread releases one lock before it takes the other one.
// RUN: options --halt
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready;

static void *work(void *unused) {
    pthread_mutex_lock(&right);
    sem_post(&ready);
    usleep(200000);
    pthread_mutex_unlock(&right);
    pthread_mutex_lock(&left);
    pthread_mutex_unlock(&left);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&ready, 0, 0);
    if (pthread_create(&thread, NULL, work, NULL)) return 2;
    pthread_mutex_lock(&left);
    sem_wait(&ready);
    pthread_mutex_lock(&right);
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    pthread_join(thread, NULL);
    return 0;
}
