// A lock is made before the thread that uses it.
// RUN: options --halt --enable races
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t mutex;
static int count;

static void *work(void *unused) {
    usleep(200000);
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_init(&mutex, NULL);
    if (pthread_create(&thread, NULL, work, NULL)) return 2;
    pthread_join(thread, NULL);
    pthread_mutex_destroy(&mutex);
    return count != 1;
}
