// The result of a thread is a pointer; there is room for an int.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    void **result = malloc(sizeof(void *));
    if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, result))
        return 1;
    free(result);
    return 0;
}
