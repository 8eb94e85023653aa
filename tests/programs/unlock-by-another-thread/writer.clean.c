// The thread that has locked for writing releases the lock.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *publish(void *unused) {
    value = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_wrlock(&lock);
    if (pthread_create(&thread, NULL, publish, NULL)) return 2;
    pthread_join(thread, NULL);
    pthread_rwlock_unlock(&lock);
    return value != 1;
}
