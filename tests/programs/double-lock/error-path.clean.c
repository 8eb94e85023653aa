// The lock is released after an error, too.
// RUN: options --halt
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_rwlock_t lock;
    int size;
};

static int push(struct queue *queue, int most) {
    if (pthread_rwlock_wrlock(&queue->lock)) return EDEADLK;
    int result = queue->size == most ? ENOSPC : 0;
    if (!result) queue->size++;
    pthread_rwlock_unlock(&queue->lock);
    return result;
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
