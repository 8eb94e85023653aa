// A thread returns before it releases a mutex.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int limit = 1;

static void *work(void *argument) {
    pthread_mutex_lock(&lock); // EXPECT lock-held-at-exit
    if (limit) return NULL;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL)) return 2;
    pthread_join(thread, NULL);
    return 0;
}
