// A thread is cancelled while it holds a mutex.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t begun;

static void *work(void *argument) {
    pthread_mutex_lock(&lock); // EXPECT lock-held-at-exit
    sem_post(&begun);
    for (;;) pause();
    return argument;
}

int main(void) {
    pthread_t thread;
    sem_init(&begun, 0, 0);
    if (pthread_create(&thread, NULL, work, NULL)) return 2;
    sem_wait(&begun);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 0;
}
