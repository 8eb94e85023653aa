// A thread frees what it holds, and is joined.
// RUN: cflags -pthread
// RUN: options --enable reachable-leak
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_barrier_t ready;
static __thread char *buffer;

static void *work(void *unused) {
    char *volatile mine = malloc(70);
    buffer = malloc(90);
    buffer[0] = mine[0] = 1;
    pthread_barrier_wait(&ready);
    free(mine);
    free(buffer);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&ready, NULL, 2);
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    pthread_barrier_wait(&ready);
    pthread_join(thread, NULL);
    return 0;
}
