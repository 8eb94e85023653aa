// The main thread frees a block that a thread then reads: frame of the thread in the stack.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;

static void *work(void *p) {
    pthread_barrier_wait(&barrier);
    return (void *)(long)((char *)p)[9]; // EXPECT dangling-pointer-dereference read 1 block 10 inside 9
}

int main(void) {
    char *p = calloc(1, 10); // ALLOC
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, work, p);
    free(p); // FREE
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    return 0;
}
