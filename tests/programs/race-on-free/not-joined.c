// A block is freed while a thread may still write to it: nobody waits for the thread.
// RUN: options --enable races
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *fill(void *block) {
    *(int *)block = 1;
    usleep(300000);
    return 0;
}

int main(void) {
    pthread_t thread;
    int *block = malloc(sizeof *block);
    if (!block || pthread_create(&thread, 0, fill, block)) return 2;
    usleep(100000);
    free(block); // EXPECT race-on-free in free
    pthread_join(thread, 0);
    return 0;
}
