// Both threads only read, so neither waits for the other one.
// RUN: options --halt
#include <pthread.h>
#include <unistd.h>

static pthread_rwlock_t names = PTHREAD_RWLOCK_INITIALIZER, rooms = PTHREAD_RWLOCK_INITIALIZER;
static int count;

static void *look(void *unused) {
    pthread_rwlock_rdlock(&names);
    pthread_rwlock_rdlock(&rooms);
    int seen = count;
    pthread_rwlock_unlock(&rooms);
    pthread_rwlock_unlock(&names);
    return seen > 1 ? NULL : unused;
}

static void *move(void *unused) {
    usleep(200000);
    pthread_rwlock_rdlock(&rooms);
    pthread_rwlock_rdlock(&names);
    pthread_rwlock_unlock(&names);
    pthread_rwlock_unlock(&rooms);
    return unused;
}

int main(void) {
    pthread_t one, two;
    if (pthread_create(&one, NULL, look, NULL) || pthread_create(&two, NULL, move, NULL)) return 2;
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return count > 1;
}
