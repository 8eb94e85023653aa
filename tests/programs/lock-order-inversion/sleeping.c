// Two threads take two locks in two orders, and only their sleep keeps them apart.
// RUN: options --halt
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int money[2];

static void *give(void *unused) {
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    money[0]--, money[1]++;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return unused;
}

static void *take(void *unused) {
    usleep(200000);
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left); // EXPECT lock-order-inversion in pthread_mutex_lock
    money[0]++, money[1]--;
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return unused;
}

int main(void) {
    pthread_t one, two;
    if (pthread_create(&one, NULL, give, NULL) || pthread_create(&two, NULL, take, NULL)) return 2;
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return money[0];
}
