// A thread is started without its argument, and reads through it.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument) {
    int *n = argument;
        *n += 1; // EXPECT null-pointer-dereference read 4 address 0
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
