// Thread-local variables that own blocks, in the main thread at its end and in threads that free
// them.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char *mine;
static _Thread_local long counter = 5;
static __thread struct {
    char a[3];
    double d;
} mixed = {"ab", 1.5};

static void *work(void *number) {
    mine = malloc(50);
    memset(mine, (int)(long)number, 50);
    for (int i = 0; i < 100; i++)
        counter += mine[i % 50];
    mixed.d += counter;
    free(mine);
    return (void *)(long)mixed.d;
}

int main(void) {
    pthread_t thread[4];
    int ok = 1;
    mine = malloc(60);
    for (long i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (long i = 0; i < 4; i++) {
        void *result;
        pthread_join(thread[i], &result);
        ok &= result == (void *)(long)(1.5 + 5 + 100 * i);
    }
    mine[59] = 1;
    return !(ok && counter == 5);
}
