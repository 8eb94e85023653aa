// A queue between threads of C11 is freed before its condition variable is destroyed.
// RUN: cflags -pthread
#include <stdlib.h>
#include <threads.h>

struct queue {
    int length;
    mtx_t lock;
    cnd_t filled;
};

static int produce(void *argument) {
    struct queue *q = argument;
    mtx_lock(&q->lock);
    q->length++;
    cnd_signal(&q->filled);
    mtx_unlock(&q->lock);
    return 0;
}

int main(void) {
    struct queue *q = calloc(1, sizeof *q);
    thrd_t producer;
    mtx_init(&q->lock, mtx_plain);
    cnd_init(&q->filled);
    thrd_create(&producer, produce, q);
    mtx_lock(&q->lock);
    while (q->length == 0)
        cnd_wait(&q->filled, &q->lock);
    mtx_unlock(&q->lock);
    thrd_join(producer, NULL);
    cnd_destroy(&q->filled);
    mtx_destroy(&q->lock);
    free(q);
    return 0;
}
