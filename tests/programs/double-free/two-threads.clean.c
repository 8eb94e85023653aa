// Two threads free a block each.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

static void *drop(void *p) {
    free(p);
    return NULL;
}

int main(void) {
    void *p = malloc(88);
    pthread_t thread;
    pthread_create(&thread, NULL, drop, p);
    pthread_join(thread, NULL);
    p = malloc(88);
    pthread_create(&thread, NULL, drop, p);
    pthread_join(thread, NULL);
    return 0;
}
