// Threads with stacks of their own from malloc and mmap, thread-specific keys with destructors,
// detached threads, cancellation.
// RUN: cflags -pthread
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_key_t key;
static sem_t done;
static int destroyed;

static void destroy(void *p) {
    free(p);
    __atomic_add_fetch(&destroyed, 1, __ATOMIC_SEQ_CST);
}

static void cleanup(void *p) {
    free(p);
    sem_post(&done);
}

static void *deep(void *p) {
    char frame[20000];
    memset(frame, 1, sizeof frame);
    pthread_setspecific(key, malloc(33));
    return (char *)p + frame[19999];
}

static void *detached(void *p) {
    free(p);
    sem_post(&done);
    return NULL;
}

static void *waiting(void *p) {
    pthread_cleanup_push(cleanup, p);
    for (;;)
        pause();
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void) {
    pthread_key_create(&key, destroy);
    sem_init(&done, 0, 0);
    size_t size = 1 << 18;
    void *stack = aligned_alloc(4096, size), *result;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, size);
    pthread_t thread;
    pthread_create(&thread, &attributes, deep, (void *)4);
    pthread_join(thread, &result);
    pthread_attr_destroy(&attributes);
    free(stack);
    int ok = result == (void *)5 && destroyed == 1;
    for (int i = 0; i < 5; i++) {
        pthread_create(&thread, NULL, detached, malloc(10));
        pthread_detach(thread);
        sem_wait(&done);
    }
    pthread_create(&thread, NULL, waiting, malloc(20));
    pthread_cancel(thread);
    pthread_join(thread, &result);
    ok &= result == PTHREAD_CANCELED;
    return !ok;
}
