// A thread that waits when main returns has its pointer to a block in a local variable.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int ready;

static void *worker(void *unused) {
    int *work = malloc(1337);
    *work = 1;
    ready = 1;
    for (;;)
        pause();
    return work;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    while (!ready)
        usleep(100);
    return 0;
}
