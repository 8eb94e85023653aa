// Blocks are allocated in one thread and freed in another, under a lock, by eight threads at once.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, ROUNDS = 2000, SLOTS = 32 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *slot[SLOTS];
static _Thread_local unsigned seed;

static unsigned next(void) {
    seed = seed * 1103515245 + 12345;
    return seed >> 16;
}

static void *work(void *number) {
    seed = (unsigned)(long)number;
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        size_t n = next() % 500 + 1;
        char *p = malloc(n);
        memset(p, 1, n);
        unsigned k = next() % SLOTS;
        pthread_mutex_lock(&lock);
        char *old = slot[k];
        slot[k] = p;
        if (old)
            sum += old[0];
        pthread_mutex_unlock(&lock);
        free(old);
    }
    return (void *)sum;
}

int main(void) {
    pthread_t thread[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)(i + 1));
    long sum = 0;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(thread[i], &result);
        sum += (long)result;
    }
    for (int i = 0; i < SLOTS; i++) {
        sum += slot[i] != NULL;
        free(slot[i]);
    }
    return sum != THREADS * ROUNDS;
}
