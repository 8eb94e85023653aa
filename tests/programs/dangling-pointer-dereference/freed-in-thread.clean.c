// A thread uses a block that the main thread frees after the join.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

static void *work(void *p) {
    *(int *)p = 5;

    return NULL;
}

int main(void) {
    int *p = malloc(6 * sizeof *p);
    pthread_t thread;
    pthread_create(&thread, NULL, work, p);
    pthread_join(thread, NULL);
    int v = *p;
    free(p);
    return v != 5;
}
