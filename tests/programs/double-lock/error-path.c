// A lock for reading and writing is still held after an error.
// RUN: options --halt
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_rwlock_t lock;
    int size;
};

static int push(struct queue *queue, int most) {
    if (pthread_rwlock_wrlock(&queue->lock)) return EDEADLK; // EXPECT double-lock in pthread_rwlock_wrlock
    if (queue->size == most) return ENOSPC;
    queue->size++;
    pthread_rwlock_unlock(&queue->lock);
    return 0;
}

int main(void) {
    struct queue *queue = calloc(1, sizeof *queue);
    if (!queue || pthread_rwlock_init(&queue->lock, NULL)) return 2;
    int results = 0;
    for (int i = 0; i < 4; i++) results += push(queue, 2) == ENOSPC;
    pthread_rwlock_destroy(&queue->lock);
    free(queue);
    return results != 2;
}
