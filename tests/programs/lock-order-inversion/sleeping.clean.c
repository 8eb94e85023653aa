// The first thread has ended before the other one begins.
// RUN: options --halt
#include <pthread.h>

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
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left);
    money[0]++, money[1]--;
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return unused;
}

int main(void) {
    pthread_t one, two;
    take(NULL);
    if (pthread_create(&one, NULL, give, NULL)) return 2;
    pthread_join(one, NULL);
    if (pthread_create(&two, NULL, take, NULL)) return 2;
    pthread_join(two, NULL);
    take(NULL);
    give(NULL);
    return money[0] != 1;
}
