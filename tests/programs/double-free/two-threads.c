// Two threads free the same block, one after the other.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

static void *drop(void *p) {
    free(p); // FREE EXPECT double-free block 88 inside 0
    return NULL;
}

int main(void) {
    void *p = malloc(88); // ALLOC
    pthread_t thread;
    pthread_create(&thread, NULL, drop, p);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, drop, p);
    pthread_join(thread, NULL);
    return 0;
}
