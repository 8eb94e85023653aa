// A thread releases what another one has locked for writing.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *publish(void *unused) {
    value = 1;
    pthread_rwlock_unlock(&lock); // EXPECT unlock-by-another-thread in pthread_rwlock_unlock
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_wrlock(&lock);
    if (pthread_create(&thread, NULL, publish, NULL)) return 2;
    pthread_join(thread, NULL);
    return value != 1;
}
