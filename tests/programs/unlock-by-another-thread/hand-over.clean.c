// Each thread releases what it holds.
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;

static void *finish(void *unused) {
    sem_post(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_mutex_lock(&busy);
    if (pthread_create(&thread, NULL, finish, NULL)) return 2;
    sem_wait(&done);
    pthread_mutex_unlock(&busy);
    pthread_join(thread, NULL);
    sem_destroy(&done);
    return 0;
}
