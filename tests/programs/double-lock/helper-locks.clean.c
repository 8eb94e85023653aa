// Each function locks for itself.
// RUN: options --halt
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void add(int n) {
    pthread_mutex_lock(&lock);
    count += n;
    pthread_mutex_unlock(&lock);
}

static void add_twice(int n) {
    add(n);
    add(n);
}

int main(void) {
    add_twice(2);
    return count != 4;
}
