// A thread that waits when main returns has overwritten its pointer to a block.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int ready;

static void *worker(void *unused) {
    int *work = malloc(1337); // EXPECT definite-leak block 1337 count 1 bytes 1337
    *work = 1;
    work = NULL;
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
