// A thread is started without its argument, and tests it.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument) {
    int *n = argument;
    if (n)
        *n += 1;
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
