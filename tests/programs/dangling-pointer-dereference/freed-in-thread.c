// A thread frees a block that the main thread goes on using.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

static void *work(void *p) {
    *(int *)p = 5;
    free(p); // FREE
    return NULL;
}

int main(void) {
    int *p = malloc(6 * sizeof *p); // ALLOC
    pthread_t thread;
    pthread_create(&thread, NULL, work, p);
    pthread_join(thread, NULL);
    int v = *p; // EXPECT dangling-pointer-dereference read 4 block 24 inside 0
    return v == 99;
}
