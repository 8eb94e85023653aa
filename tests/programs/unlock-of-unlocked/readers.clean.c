// A function that takes a lock releases it.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[4] = {1, 2, 3, 4};

static int find(int value) {
    pthread_rwlock_rdlock(&lock);
    for (int i = 0; i < 4; i++)
        if (table[i] == value) {
            pthread_rwlock_unlock(&lock);
            return i;
        }
    pthread_rwlock_unlock(&lock);
    return -1;
}

static int has(int value) {
    int at = find(value);
    return at >= 0;
}

int main(void) { return !has(3); }
