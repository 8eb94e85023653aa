// Orders of locks in which no threads can wait for each other, though they look like it: in one
// thread, with a release between, in a function that is called once, at locks that are made anew,
// and apart by a barrier, a semaphore or a condition variable.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t made;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t turn;
static pthread_mutex_t state = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready;
static int count;

static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void initialise(void) { both(&b, &a); }

static void *in_one_thread(void *unused) {
    both(&a, &made);
    both(&made, &a);
    return unused;
}

static void *one_way(void *unused) {
    pthread_once(&once, initialise);
    both(&a, &b);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    return unused;
}

/* The lock of a block and another one; the next block has the same address, and another lock. */
static void *blocks(void *is_first) {
    for (int i = 0; i < 100; i++) {
        pthread_mutex_t *inner = malloc(sizeof *inner);
        if (!inner) return NULL;
        pthread_mutex_init(inner, NULL);
        if (is_first)
            both(inner, &a);
        else
            both(&a, inner);
        pthread_mutex_destroy(inner);
        free(inner);
    }
    return is_first;
}

static void *same_place(void *is_first) {
    if (!is_first) sem_wait(&turn);
    pthread_mutex_init(&made, NULL);
    if (is_first)
        both(&made, &b);
    else
        both(&b, &made);
    pthread_mutex_destroy(&made);
    if (is_first) sem_post(&turn);
    return is_first;
}

static void *rounds(void *is_first) {
    if (is_first) {
        pthread_spin_lock(&spin);
        pthread_mutex_lock(&b);
        pthread_mutex_unlock(&b);
        pthread_spin_unlock(&spin);
    }
    pthread_barrier_wait(&barrier);
    if (!is_first) {
        pthread_mutex_lock(&b);
        pthread_spin_lock(&spin);
        pthread_spin_unlock(&spin);
        pthread_mutex_unlock(&b);
    }
    return is_first;
}

/* The one hands over to the other, which may come before or after the signal. */
static void *told(void *is_first) {
    if (is_first) {
        both(&b, &made);
        pthread_mutex_lock(&state);
        is_ready = 1;
        pthread_mutex_unlock(&state);
        pthread_cond_signal(&ready);
        return is_first;
    }
    pthread_mutex_lock(&state);
    while (!is_ready) pthread_cond_wait(&ready, &state);
    pthread_mutex_unlock(&state);
    both(&made, &b);
    return is_first;
}

static int run(void *(*first)(void *), void *(*second)(void *)) {
    pthread_t one, two;
    if (pthread_create(&one, NULL, first, &count) || pthread_create(&two, NULL, second, NULL))
        exit(2);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}

int main(void) {
    pthread_mutex_init(&made, NULL);
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&turn, 0, 0);
    run(in_one_thread, one_way);
    run(one_way, one_way);
    pthread_mutex_destroy(&made);
    run(blocks, blocks);
    run(same_place, same_place);
    run(rounds, rounds);
    pthread_mutex_init(&made, NULL);
    run(told, told);
    pthread_barrier_destroy(&barrier);
    return count < 100;
}
