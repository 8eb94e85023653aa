// Two threads count in a variable without a lock.
// RUN: options --enable races
#include <pthread.h>

static int counted;

static void *count(void *unused) {
    (void)unused;
    counted++; // EXPECT data-race
    return 0;
}

int main(void) {
    pthread_t first, second;
    if (pthread_create(&first, 0, count, 0) || pthread_create(&second, 0, count, 0)) return 2;
    pthread_join(first, 0);
    pthread_join(second, 0);
    return counted > 2;
}
