// A thread that is still running when main returns holds a block in a local variable, and another
// one in thread-local storage.
// ASan misses this: it says nothing of blocks that are still reachable
// RUN: cflags -pthread
// RUN: options --enable reachable-leak
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_barrier_t ready;
static __thread char *buffer;

static void *work(void *unused) {
    char *volatile mine = malloc(70); // EXPECT reachable-leak block 70 count 1 bytes 70
    buffer = malloc(90); // EXPECT reachable-leak block 90 count 1 bytes 90
    buffer[0] = mine[0] = 1;
    pthread_barrier_wait(&ready);
    for (;;)
        pause();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&ready, NULL, 2);
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    pthread_barrier_wait(&ready);
    return 0;
}
