// Of 10,000 threads that live at the same time, one writes behind its block.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 10000, LAST = 7777 };
static pthread_t thread[THREADS];
static int *block[THREADS];
static int made;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all = PTHREAD_COND_INITIALIZER;

static void *run(void *argument) {
    long k = (long)argument;
    int *p = malloc(12); // ALLOC
    block[k] = p;
    pthread_mutex_lock(&lock);
    while (made < THREADS)
        pthread_cond_wait(&all, &lock);
    pthread_mutex_unlock(&lock);
    p[k == LAST ? 3 : 2] = (int)k; // EXPECT heap-buffer-overflow write 4 block 12 after 0
    free(block[k]);
    return NULL;
}

int main(void) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    int count = 0;
    while (count < THREADS && pthread_create(&thread[count], &small, run, (void *)(long)count) == 0)
        count++;
    pthread_mutex_lock(&lock);
    made = THREADS;
    pthread_cond_broadcast(&all);
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < count; k++)
        pthread_join(thread[k], NULL);
    pthread_attr_destroy(&small);
    return count != THREADS;
}
