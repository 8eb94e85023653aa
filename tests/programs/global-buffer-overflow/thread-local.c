// A thread writes behind its own copy of a thread-local array.
// ASan misses this: it puts no zones around thread-local variables.
// Memcheck misses this: memory of variables has no bounds for it.
// RUN: cflags -pthread
// RUN: args 6
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local int history[6];
_Thread_local char name[5] = "name";

static void *work(void *argument) {
    int count = *(int *)argument;
    for (int i = 0; i <= count; i++)
        history[i] = i; // EXPECT global-buffer-overflow write 4 block 24 after 0
    printf("%s %d\n", name, history[count - 1]);
    return NULL;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t thread;
    pthread_create(&thread, NULL, work, &count);
    pthread_join(thread, NULL);
    return 0;
}
