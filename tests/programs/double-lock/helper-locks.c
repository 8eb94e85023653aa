// A function locks what its caller holds.
// RUN: options --halt
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void add(int n) {
    pthread_mutex_lock(&lock); // EXPECT double-lock in pthread_mutex_lock
    count += n;
    pthread_mutex_unlock(&lock);
}

static void add_twice(int n) {
    pthread_mutex_lock(&lock);
    add(n);
    pthread_mutex_unlock(&lock);
    add(n);
}

int main(void) {
    add_twice(2);
    return count != 4;
}
