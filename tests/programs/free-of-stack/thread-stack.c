// A thread frees an object on the main thread's stack.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct job {
    int input, output;
};

static void *run(void *opaque) {
    struct job *j = opaque;
    j->output = 2 * j->input;
    free(j); // EXPECT free-of-stack block 8
    return NULL;
}

int main(void) {
    struct job j = {21, 0};
    void *p = &j;
    pthread_t thread;
    pthread_create(&thread, NULL, run, p);
    pthread_join(thread, NULL);
    return 0;
}
