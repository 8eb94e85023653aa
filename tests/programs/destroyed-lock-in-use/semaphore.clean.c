// A semaphore is initialised again after it was destroyed.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *work(void *unused) {
    sem_post(&ready);
    return unused;
}

int main(void) {
    pthread_t thread;
    if (sem_init(&ready, 0, 1)) return 2;
    sem_destroy(&ready);
    if (sem_init(&ready, 0, 1)) return 2;
    sem_wait(&ready);
    if (pthread_create(&thread, NULL, work, NULL)) return 2;
    sem_wait(&ready);
    pthread_join(thread, NULL);
    return 0;
}
