// A pool starts one worker more than it has room for.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument) { return argument; }

int main(void) {
    int size = 3;
    pthread_t *workers = malloc(size * sizeof *workers);
    int started = 0;
    while (started < size)
        pthread_create(&workers[started++], NULL, work, NULL);
    while (started > 0)
        pthread_join(workers[--started], NULL);
    free(workers);
    return 0;
}
