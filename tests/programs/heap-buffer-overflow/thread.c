// Each of four threads fills its part of a block; the last part is one element too long.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

enum { PART = 100, THREADS = 4 };
static int *all;

static void *fill(void *number) {
    long k = (long)number;
    long end = (k + 1) * PART + (k == THREADS - 1);
    for (long i = k * PART; i < end; i++)
        all[i] = i; // EXPECT heap-buffer-overflow write 4 block 1600 after 0
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    all = malloc(THREADS * PART * sizeof *all); // ALLOC
    for (long k = 0; k < THREADS; k++)
        pthread_create(&thread[k], NULL, fill, (void *)k);
    for (int k = 0; k < THREADS; k++)
        pthread_join(thread[k], NULL);
    free(all);
    return 0;
}
