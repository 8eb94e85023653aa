// A thread is joined by the holder of the lock that it waits for.
// RUN: options --halt
#include <pthread.h>
#include <unistd.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static int rows;

static void *add(void *unused) {
    pthread_rwlock_wrlock(&table);
    rows++;
    pthread_rwlock_unlock(&table);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_wrlock(&table);
    if (pthread_create(&thread, NULL, add, NULL)) return 2;
    usleep(200000);
    pthread_join(thread, NULL); // EXPECT deadlock in pthread_join
    pthread_rwlock_unlock(&table);
    return rows != 1;
}
