// A thread waits with a mutex while it holds a lock that it got after it.
// RUN: options --halt
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t state = PTHREAD_MUTEX_INITIALIZER, table = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int rows, go, waits;

static void *add(void *unused) {
    pthread_mutex_lock(&state);
    pthread_mutex_lock(&table);
    rows++;
    pthread_mutex_unlock(&table);
    pthread_mutex_unlock(&state);
    return unused;
}

static void *watch(void *unused) {
    pthread_mutex_lock(&state);
    pthread_mutex_lock(&table);
    waits = 1;
    while (!go) pthread_cond_wait(&changed, &state); // EXPECT lock-order-inversion in pthread_cond_wait
    pthread_mutex_unlock(&table);
    pthread_mutex_unlock(&state);
    return unused;
}

static void *wake(void *unused) {
    pthread_mutex_lock(&state);
    while (!waits) {
        pthread_mutex_unlock(&state);
        sched_yield();
        pthread_mutex_lock(&state);
    }
    go = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&state);
    return unused;
}

int main(void) {
    pthread_t one, two, three;
    if (pthread_create(&one, NULL, add, NULL) || pthread_create(&two, NULL, watch, NULL)) return 2;
    pthread_join(one, NULL);
    if (pthread_create(&three, NULL, wake, NULL)) return 2;
    pthread_join(two, NULL);
    pthread_join(three, NULL);
    return rows != 1;
}
