// A thread fills its own copy of a thread-local array.
// RUN: cflags -pthread
// RUN: args 6
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local int history[6];
_Thread_local char name[5] = "name";

static void *work(void *argument) {
    int count = *(int *)argument;
    for (int i = 0; i < count; i++)
        history[i] = i;
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
