// The main thread frees a block after the thread that reads it has ended.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;

static void *work(void *p) {
    pthread_barrier_wait(&barrier);
    return (void *)(long)((char *)p)[9];
}

int main(void) {
    char *p = calloc(1, 10);
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, work, p);

    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    free(p);
    return 0;
}
