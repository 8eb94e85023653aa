// Each of four threads takes the lock at its left before that at its right.
// RUN: options --halt
#include <pthread.h>
#include <unistd.h>

#define SEATS 4

static pthread_mutex_t forks[SEATS];
static int meals[SEATS];

static void *dine(void *argument) {
    int seat = (int)(long)argument;
    usleep(50000 * (unsigned)seat);
    pthread_mutex_t *first = &forks[seat], *second = &forks[(seat + 1) % SEATS];
    pthread_mutex_lock(first);
    pthread_mutex_lock(second); // EXPECT lock-order-inversion in pthread_mutex_lock
    meals[seat]++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}

int main(void) {
    pthread_t threads[SEATS];
    for (int i = 0; i < SEATS; i++) pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < SEATS; i++)
        if (pthread_create(&threads[i], NULL, dine, (void *)i)) return 2;
    for (int i = 0; i < SEATS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < SEATS; i++) pthread_mutex_destroy(&forks[i]);
    return meals[0] != 1;
}
