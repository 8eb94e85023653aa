// The last of the four threads takes its locks the other way round.
// RUN: options --halt
#include <pthread.h>
#include <unistd.h>

#define SEATS 4

static pthread_mutex_t forks[SEATS];
static int meals[SEATS];

static void *dine(void *argument) {
    int seat = (int)(long)argument;
    usleep(50000 * (unsigned)seat);
    int last = seat == SEATS - 1;
    pthread_mutex_t *first = last ? &forks[0] : &forks[seat];
    pthread_mutex_t *second = last ? &forks[seat] : &forks[seat + 1];
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
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
