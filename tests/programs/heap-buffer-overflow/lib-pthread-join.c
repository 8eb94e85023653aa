// The result of a thread is a pointer; there is room for an int.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    void **result = malloc(sizeof(int)); // ALLOC
    if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, result)) // EXPECT heap-buffer-overflow write 8 block 4 after 0 in pthread_join
        return 1;
    free(result);
    return 0;
}
