// A block is freed when the thread that writes to it has been joined.
// RUN: options --enable races
#include <pthread.h>
#include <stdlib.h>

static void *fill(void *block) {
    *(int *)block = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    int *block = malloc(sizeof *block);
    if (!block || pthread_create(&thread, 0, fill, block)) return 2;
    pthread_join(thread, 0);
    free(block);
    return 0;
}
