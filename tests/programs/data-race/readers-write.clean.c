// Threads that hold a lock for reading read, and one that holds it alone stores.
// RUN: options --enable races
#include <pthread.h>
#include <stdlib.h>

struct cache {
    pthread_rwlock_t lock;
    int last, values[4];
};

static void *find(void *argument) {
    struct cache *cache = argument;
    pthread_rwlock_rdlock(&cache->lock);
    int found = cache->values[2] + cache->last;
    pthread_rwlock_unlock(&cache->lock);
    pthread_rwlock_wrlock(&cache->lock);
    cache->last = found;
    pthread_rwlock_unlock(&cache->lock);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    struct cache *cache = calloc(1, sizeof *cache);
    if (!cache || pthread_rwlock_init(&cache->lock, 0)) return 2;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], 0, find, cache)) return 2;
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    pthread_rwlock_destroy(&cache->lock);
    free(cache);
    return 0;
}
