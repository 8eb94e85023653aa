// A thread is neither joined nor detached.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t done;

static void *work(void *argument) {
    sem_post(&done);
    return argument;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    if (pthread_create(&thread, NULL, work, NULL)) return 2; // EXPECT thread-leak
    sem_wait(&done);
    usleep(300000);
    return 0;
}
