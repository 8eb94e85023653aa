// A condition variable is destroyed when all waiters have got a signal, some of which are still on their way.
// RUN: options --halt
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int items, waiters;
};

static void *take(void *argument) {
    struct queue *queue = argument;
    pthread_mutex_lock(&queue->lock);
    queue->waiters++;
    while (!queue->items) pthread_cond_wait(&queue->filled, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct queue *queue = calloc(1, sizeof *queue);
    if (!queue || pthread_mutex_init(&queue->lock, NULL)) return 2;
    if (pthread_cond_init(&queue->filled, NULL)) return 2;
    if (pthread_create(&thread, NULL, take, queue)) return 2;
    for (int waiters = 0; !waiters; usleep(1000)) {
        pthread_mutex_lock(&queue->lock);
        waiters = queue->waiters;
        pthread_mutex_unlock(&queue->lock);
    }
    pthread_mutex_lock(&queue->lock);
    queue->items++;
    pthread_cond_broadcast(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_destroy(&queue->filled);
    pthread_join(thread, NULL);
    free(queue);
    return 0;
}
