// Only the stack of a thread that has ended pointed to a block.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_barrier_t ready;

__attribute__((noinline)) static void use(char *volatile *p) {
    **p = 1;
}

static void *work(void *argument) {
    char *volatile mine = malloc(300); // EXPECT definite-leak block 300 count 1 bytes 300
    use(&mine);
    pthread_barrier_wait(&ready);
    use(&mine);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&ready, NULL, 2);
    pthread_create(&thread, NULL, work, NULL);
    pthread_barrier_wait(&ready);
    pthread_join(thread, NULL);
    return 0;
}
