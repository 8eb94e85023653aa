// A thread that was made detached is detached.
#include <pthread.h>
#include <semaphore.h>

static sem_t done, go;

static void *work(void *argument) {
    sem_wait(&go);
    sem_post(&done);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    sem_init(&done, 0, 0);
    sem_init(&go, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attributes, work, NULL)) return 2;
    pthread_attr_destroy(&attributes);
    pthread_detach(thread); // EXPECT double-join in pthread_detach
    sem_post(&go);
    sem_wait(&done);
    return 0;
}
