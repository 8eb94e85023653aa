// A pool starts one worker more than it has room for.
// ASan misses this: it does not see the store that pthread_create makes
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument) { return argument; }

int main(void) {
    int size = 3;
    pthread_t *workers = malloc(size * sizeof *workers); // ALLOC
    int started = 0;
    while (started <= size)
        pthread_create(&workers[started++], NULL, work, NULL); // EXPECT heap-buffer-overflow write 8 block 24 after 0 in pthread_create
    while (started > 0)
        pthread_join(workers[--started], NULL);
    free(workers);
    return 0;
}
